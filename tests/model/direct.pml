/* The flag protocol of the `direct` transport, for one pair of subdomains (docs/decisions/0010-direct-protocol.md).
 *
 * Memory. Every location has one writer and a history of versions. A thread has a view: for each location the oldest
 * version it may still read. A plain load returns ANY version from the view to the newest, which covers a store that is
 * delivered late as well as a load that was satisfied early or from a stale cache; locations are independent of each
 * other. Only a release store takes its thread's view along, and only an acquire load of that very store takes it over.
 * A load of a user's kernel may also complete late, after later stores of its device (Late), but not after a release.
 * Stores are not speculated past a wait. Kernel boundaries on one stream order the views of that device's threads.
 *
 * Besides values, happens-before is checked: a read leaves a mark that travels in views as a version does, and a plain
 * write that has not seen the marks of all reads of the cell, or a read that has not seen the newest write, is a race.
 *
 * Threads of a subdomain's exchange: two Sender blocks (one for each of two faces that the pair shares: one message, one
 * pair of flags), one Receiver block (signals ready, waits for arrived). The Stream runs the user's kernels around it.
 *
 * Verdicts: the names below, spin's invalid end state for a deadlock, its non-progress cycle for a cycle (no statement is
 * labelled as progress and waits block, so a model without cycles and deadlocks ends on every path).
 * Variants: BUFFERS (1 in place, 2 swapped), EPOCHS, ONE_WAY (only 0 sends), SERIAL (one block at a time), INDEX_WORD.
 * Mutants: MUTANT_..., NO_TOKEN, FROZEN_ONE, FROZEN_BOTH; see check.sh.
 */
#ifndef EPOCHS
#define EPOCHS 4
#endif
#ifndef BUFFERS
#define BUFFERS 2
#endif
#define VERSIONS (EPOCHS + 1)

/* The names of the verdicts: never set, they only make a failed assertion say what it is about. */
bit wrong_data, wrong_token, data_race, flag_ahead, protocol_error, sides_disagree;
#define REQUIRE(c, verdict) assert((c) || verdict)

/* Locations, by the subdomain that writes them. HALO, TOKEN, READY, ARRIVED lie in the OTHER subdomain's memory.
 * The marks are not memory: they stand for reads that their subdomain has made of what the other one wrote. */
#define HALO(buffer, face) ((buffer) * 2 + (face))
#define TOKEN 4
#define READY 5
#define ARRIVED 6
#define STORED 7
#define HALO_READ(buffer, face) (7 + (buffer) * 2 + (face))
#define TOKEN_READ(face) (11 + (face))
#define LOCATIONS 13
#define AT(writer, location) ((writer) * LOCATIONS + (location))
#define VALUE(writer, location, version) value[((writer) * STORED + (location)) * VERSIONS + (version)]
#define NEWEST(writer, location) newest[AT(writer, location)]

byte newest[2 * LOCATIONS];         /* newest version of each location; 0 is what realize() left there */
byte value[2 * STORED * VERSIONS];  /* HALO: epoch whose cells these are; TOKEN: buffer index; flags: epoch */

typedef Released { byte view[LOCATIONS] };
#define READY_STORE(writer, version) released[(writer) * 2 * VERSIONS + (version)]
#define ARRIVED_STORE(writer, version) released[((writer) * 2 + 1) * VERSIONS + (version)]
Released released[4 * VERSIONS];    /* what a flag's store carries along: its thread's view of its own side's work */

/* Threads of a subdomain; JOIN is the device-scope counter on which the sender blocks meet. */
#define STREAM 0
#define SENDER 1 /* and 2: one a face */
#define RECEIVER 3
#define JOIN 4
typedef View { byte seen[2 * LOCATIONS] };
View views[10];
#define VIEW(me, thread) views[(me) * 5 + (thread)]

byte owned[2 * 4];                  /* owned cells next to the other: [me][buffer][face], the epoch they hold */
byte epoch[2];                      /* device memory: exchanges that are done */
byte index_word[2];                 /* device memory: the buffer index, flipped in stream order by swap */
byte op_buffer[2];                  /* what the exchange op was enqueued (or captured) with */
bit refused[2];                     /* ProtocolError raised here */
bit poison[2 * VERSIONS];           /* the mark on ARRIVED that tells the receiver of a refusal */
byte running[2];                    /* blocks of the exchange kernel still at work */
bit go[2 * 4];
byte senders_done[2];
byte turn[2];
byte late_epoch[2 * 2];             /* epoch whose halo the user's kernel is still loading, by face; 0 is none */
byte late_buffer[2 * 2];
bit finished[2];

byte i_; /* scratch of d_steps, always 0 between them */

inline join_views(to, from) {
  i_ = 0;
  do
  :: i_ < 2 * LOCATIONS ->
     if
     :: from.seen[i_] > to.seen[i_] -> to.seen[i_] = from.seen[i_]
     :: else
     fi;
     i_++
  :: else -> break
  od;
  i_ = 0
}
inline take_along(store, me, thread) {
  i_ = 0;
  do
  :: i_ < LOCATIONS -> store.view[i_] = VIEW(me, thread).seen[AT(me, i_)]; i_++
  :: else -> break
  od;
  i_ = 0
}
inline take_over(store, writer, me, thread) {
  i_ = 0;
  do
  :: i_ < LOCATIONS ->
     if
     :: store.view[i_] > VIEW(me, thread).seen[AT(writer, i_)] -> VIEW(me, thread).seen[AT(writer, i_)] = store.view[i_]
     :: else
     fi;
     i_++
  :: else -> break
  od;
  i_ = 0
}
/* A new version, which only its writer is obliged to see. */
inline store_plain(me, thread, location, v) {
  NEWEST(me, location) = NEWEST(me, location) + 1;
  VALUE(me, location, NEWEST(me, location)) = v;
  VIEW(me, thread).seen[AT(me, location)] = NEWEST(me, location)
}
inline mark_read(me, thread, mark) {
  NEWEST(me, mark) = NEWEST(me, mark) + 1;
  VIEW(me, thread).seen[AT(me, mark)] = NEWEST(me, mark)
}
/* Any version that the thread may still read and that holds at least v: the last look of a polling loop. */
inline poll(me, thread, location, v, got) {
  VALUE(1 - me, location, NEWEST(1 - me, location)) >= v;
  got = NEWEST(1 - me, location);
  do
  :: got > VIEW(me, thread).seen[AT(1 - me, location)] && VALUE(1 - me, location, got - 1) >= v -> got--
  :: break
  od;
  VIEW(me, thread).seen[AT(1 - me, location)] = got
}
#define LOADS_COMPLETE(me) (late_epoch[(me) * 2] == 0 && late_epoch[(me) * 2 + 1] == 0)

#ifdef SERIAL
#ifdef MUTANT_RECEIVE_FIRST
#define TURN_SIGNAL 0
#define TURN_RECEIVE 1
#define TURN_SEND(face) (2 + (face))
#else
#ifdef MUTANT_SIGNAL_LAST
#define TURN_SEND(face) (face)
#define TURN_SIGNAL 2
#define TURN_RECEIVE 3
#else
#define TURN_SIGNAL 0
#define TURN_SEND(face) (1 + (face))
#define TURN_RECEIVE 3
#endif
#endif
#define MY_TURN(me, t) (turn[me] == (t))
#define END_TURN(me) turn[me] = turn[me] + 1
#else
#define MY_TURN(me, t) true
#define END_TURN(me) skip
#endif

#ifdef MUTANT_BAKED_EPOCH
#define EPOCH_OF_OP(me) ((me) == 0 -> 1 : epoch[me] + 1)
#else
#define EPOCH_OF_OP(me) (epoch[me] + 1)
#endif

#ifdef INDEX_WORD
#define FROZEN_HERE(me) (op_buffer[me] != index_word[me])
#else
#define FROZEN_HERE(me) false
#endif
#define NO_BUFFER 9 /* a token that no side can match */

inline store_token(me) {
  d_step {
    /* the other side's senders must have read the last token before this one replaces it */
    REQUIRE(VIEW(me, RECEIVER).seen[AT(1 - me, TOKEN_READ(0))] == NEWEST(1 - me, TOKEN_READ(0)), data_race);
    REQUIRE(VIEW(me, RECEIVER).seen[AT(1 - me, TOKEN_READ(1))] == NEWEST(1 - me, TOKEN_READ(1)), data_race);
    store_plain(me, RECEIVER, TOKEN, (FROZEN_HERE(me) -> NO_BUFFER : op_buffer[me]))
  }
}

/* Receiving block: says ready, waits for arrived. */
proctype Receiver(byte me) {
  byte e, got;
end:
  do
  :: atomic { go[me * 4 + RECEIVER] && MY_TURN(me, TURN_SIGNAL) -> go[me * 4 + RECEIVER] = 0; e = EPOCH_OF_OP(me) }
#if !defined(NO_TOKEN) && !defined(MUTANT_TOKEN_AFTER)
     store_token(me);
#endif
     atomic {
#ifndef MUTANT_NO_RELEASE_READY
       LOADS_COMPLETE(me);
#endif
       d_step {
         store_plain(me, RECEIVER, READY, e);
#ifndef MUTANT_NO_RELEASE_READY
         take_along(READY_STORE(me, NEWEST(me, READY)), me, RECEIVER);
#endif
         END_TURN(me)
       }
     }
#if !defined(NO_TOKEN) && defined(MUTANT_TOKEN_AFTER)
     store_token(me);
#endif
     atomic {
       MY_TURN(me, TURN_RECEIVE);
#ifndef MUTANT_NO_ARRIVED_WAIT
       poll(me, RECEIVER, ARRIVED, e, got);
#ifndef MUTANT_NO_ACQUIRE_ARRIVED
       d_step { take_over(ARRIVED_STORE(1 - me, got), 1 - me, me, RECEIVER) }
#endif
       REQUIRE(VALUE(1 - me, ARRIVED, got) == e, flag_ahead);
       refused[me] = refused[me] | poison[(1 - me) * VERSIONS + got];
#endif
       d_step { END_TURN(me); got = 0; e = 0; running[me] = running[me] - 1 }
     }
  od
}

/* Sending block of one face: waits for ready, compares the token, writes the other's halo; the last one says arrived. */
proctype Sender(byte me; byte face) {
  byte e, got, cells;
  bit match;
end:
  do
  :: atomic {
       go[me * 4 + SENDER + face] && MY_TURN(me, TURN_SEND(face)) -> go[me * 4 + SENDER + face] = 0; e = EPOCH_OF_OP(me)
     }
#ifdef MUTANT_RETRY
again:
#endif
#ifndef MUTANT_NO_READY_WAIT
     atomic {
       poll(me, SENDER + face, READY, e, got);
#ifndef MUTANT_NO_ACQUIRE_READY
       d_step { take_over(READY_STORE(1 - me, got), 1 - me, me, SENDER + face) }
#endif
       REQUIRE(VALUE(1 - me, READY, got) == e, flag_ahead)
     }
#endif
     match = !FROZEN_HERE(me);
#ifndef NO_TOKEN
     atomic {
       select(got : VIEW(me, SENDER + face).seen[AT(1 - me, TOKEN)] .. NEWEST(1 - me, TOKEN));
       REQUIRE(got == e, wrong_token);
       REQUIRE(VIEW(me, SENDER + face).seen[AT(1 - me, TOKEN)] == NEWEST(1 - me, TOKEN), data_race);
#ifdef MUTANT_RETRY
       if
       :: VALUE(1 - me, TOKEN, got) != op_buffer[me] -> goto again
       :: else
       fi;
#endif
       d_step { mark_read(me, SENDER + face, TOKEN_READ(face)) }
       match = match && VALUE(1 - me, TOKEN, got) == op_buffer[me]
     }
#endif
     if
     :: match ->
        cells = owned[me * 4 + HALO(op_buffer[me], face)];
        d_step {
          /* the other side's reads of this cell must have happened before */
          REQUIRE(VIEW(me, SENDER + face).seen[AT(1 - me, HALO_READ(op_buffer[me], face))] ==
                            NEWEST(1 - me, HALO_READ(op_buffer[me], face)), data_race);
          store_plain(me, SENDER + face, HALO(op_buffer[me], face), cells);
          cells = 0
        }
     :: else -> refused[me] = 1
     fi;
     /* the blocks meet on a device-scope counter, acquire and release */
     d_step {
#ifndef MUTANT_RELAXED_JOIN
       join_views(VIEW(me, JOIN), VIEW(me, SENDER + face));
       join_views(VIEW(me, SENDER + face), VIEW(me, JOIN));
#endif
       senders_done[me] = senders_done[me] + 1;
       got = senders_done[me]
     }
     if
     :: got == 2 ->
        atomic {
#ifdef MUTANT_SILENT_REFUSAL
          if
          :: refused[me] -> skip
          :: else ->
#endif
#ifndef MUTANT_NO_RELEASE_ARRIVED
             LOADS_COMPLETE(me);
#endif
             d_step {
               store_plain(me, SENDER + face, ARRIVED, e);
#ifndef MUTANT_UNMARKED_REFUSAL
               poison[me * VERSIONS + NEWEST(me, ARRIVED)] = refused[me];
#endif
#ifndef MUTANT_NO_RELEASE_ARRIVED
               take_along(ARRIVED_STORE(me, NEWEST(me, ARRIVED)), me, SENDER + face);
#endif
             }
#ifdef MUTANT_SILENT_REFUSAL
          fi
#endif
        }
#ifdef MUTANT_EARLY_EPOCH
        epoch[me] = epoch[me] + 1
#endif
     :: else
     fi;
     d_step { END_TURN(me); e = 0; got = 0; match = 0; running[me] = running[me] - 1 }
  od
}

/* Loads of the user's kernel, which may complete late. */
proctype Late(byte me; byte face) {
  byte got;
end:
  do
  :: atomic {
       late_epoch[me * 2 + face] > 0 ->
       select(got : VIEW(me, STREAM).seen[AT(1 - me, HALO(late_buffer[me * 2 + face], face))]
              .. NEWEST(1 - me, HALO(late_buffer[me * 2 + face], face)));
       REQUIRE(VALUE(1 - me, HALO(late_buffer[me * 2 + face], face), got) == late_epoch[me * 2 + face], wrong_data);
       REQUIRE(VIEW(me, STREAM).seen[AT(1 - me, HALO(late_buffer[me * 2 + face], face))] ==
                         NEWEST(1 - me, HALO(late_buffer[me * 2 + face], face)), data_race);
       d_step { got = 0; late_buffer[me * 2 + face] = 0; late_epoch[me * 2 + face] = 0 }
     }
  od
}

#ifdef ONE_WAY
#define SENDS(me) ((me) == 0)
#define RECEIVES(me) ((me) == 1)
#else
#define SENDS(me) true
#define RECEIVES(me) true
#endif
#ifdef FROZEN_ONE
#define OP_BUFFER(me, current) ((me) == 0 -> 0 : current)
#else
#ifdef FROZEN_BOTH
#define OP_BUFFER(me, current) 0
#else
#define OP_BUFFER(me, current) (current)
#endif
#endif

/* The user's stream: exchange, a kernel that reads the halo and writes owned cells, swap, again. */
proctype Stream(byte me) {
  byte step = 1;
  byte current, next;
  d_step { owned[me * 4 + HALO(0, 0)] = 1; owned[me * 4 + HALO(0, 1)] = 1 }
  do
  :: step <= EPOCHS && !refused[me] ->
     next = (current + 1) % BUFFERS;
     d_step { /* launch: the kernel's threads see all work enqueued before it */
       op_buffer[me] = OP_BUFFER(me, current);
       senders_done[me] = 0;
       turn[me] = 0;
       if
       :: SENDS(me) ->
          join_views(VIEW(me, SENDER), VIEW(me, STREAM));
          join_views(VIEW(me, SENDER + 1), VIEW(me, STREAM));
          go[me * 4 + SENDER] = 1;
          go[me * 4 + SENDER + 1] = 1;
          running[me] = running[me] + 2
       :: else
       fi;
       if
       :: RECEIVES(me) ->
          join_views(VIEW(me, RECEIVER), VIEW(me, STREAM));
          go[me * 4 + RECEIVER] = 1;
          running[me] = running[me] + 1
       :: else
       fi
     }
#ifdef MUTANT_EARLY_SHELL
     /* an interior kernel beside the exchange that does not leave out the send shells */
     owned[me * 4 + HALO(next, 0)] = step + 1;
#endif
     atomic {
       running[me] == 0 -> /* the kernel ends: what its threads saw, the stream has seen */
       d_step {
         join_views(VIEW(me, STREAM), VIEW(me, SENDER));
         join_views(VIEW(me, STREAM), VIEW(me, SENDER + 1));
         join_views(VIEW(me, STREAM), VIEW(me, RECEIVER));
#ifndef MUTANT_EARLY_EPOCH
         epoch[me] = epoch[me] + 1 /* by the last block to leave */
#endif
       }
     }
     if
     :: !refused[me] ->
        if
        :: RECEIVES(me) ->
           atomic {
             /* loads are late by less than one step */
             LOADS_COMPLETE(me);
             d_step {
               mark_read(me, STREAM, HALO_READ(current, 0));
               mark_read(me, STREAM, HALO_READ(current, 1));
               late_buffer[me * 2] = current;
               late_buffer[me * 2 + 1] = current;
               late_epoch[me * 2] = step;
               late_epoch[me * 2 + 1] = step
             }
           }
        :: else
        fi;
        d_step { owned[me * 4 + HALO(next, 0)] = step + 1; owned[me * 4 + HALO(next, 1)] = step + 1 }
     :: else
     fi;
     d_step { current = next; index_word[me] = next; next = 0; step++ }
  :: else -> break
  od;
  REQUIRE(!refused[me], protocol_error);
  atomic {
    finished[me] = 1;
    if
    :: finished[1 - me] ->
       /* both sides have made the same exchanges and raised the same error, if any */
       REQUIRE(refused[0] == refused[1] && epoch[0] == epoch[1], sides_disagree);
       REQUIRE(refused[0] || epoch[0] == EPOCHS, sides_disagree)
    :: else
    fi
  }
}

init {
  atomic {
    run Stream(0); run Stream(1);
    run Sender(0, 0); run Sender(0, 1);
    run Receiver(1);
    run Late(1, 0); run Late(1, 1);
#ifndef ONE_WAY
    run Sender(1, 0); run Sender(1, 1);
    run Receiver(0);
    run Late(0, 0); run Late(0, 1);
#endif
  }
}
