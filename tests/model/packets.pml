/* Packets of the `direct` transport, for one pair of subdomains (docs/decisions/0036-packets.md): cells and a mark as one
 * value, stored into a receive buffer of the receiver before its `ready` of this exchange is seen. packets_memory.pml says
 * what a load may find.
 *
 * Threads of a subdomain's exchange: two of block 0, one that says ready and waits for the announcement, or for arrived of rows
 * (Receiver), one that announces and waits for ready (Watcher); two blocks that send a cell each (Sender), two that unpack one
 * each (Unpacker).
 *
 * A message is rows, which go as in direct.pml, or one packet, or two, by exchange: KINDS has a digit for each, the last one
 * for the first exchange; KINDS_BACK is that of what 1 sends; with MIX they are anything.
 * Variants: EPOCHS, ONE_WAY (only 0 sends), SERIAL (one thread at a time), TURNS of the room, FLAG_TURNS of announcements,
 * PAIR_TURNS (they are counted by the exchanges in which the pair takes part, not by the epoch), MARKS (how many marks tell
 * exchanges apart), FROZEN_ONE (0's token stays), FROZEN_KIND (and what it sends from the second exchange on). See packets.cases.
 */
#ifndef TURNS
#define TURNS 2
#endif
#ifndef FLAG_TURNS
#define FLAG_TURNS 2
#endif
#ifndef MARKS
#define MARKS 1
#endif
#ifndef KINDS
#define KINDS 222222
#endif
#ifndef KINDS_BACK
#define KINDS_BACK KINDS
#endif
#include "packets_memory.pml"

#define ROWS 0
#define LEFT_OUT 3 /* the pair takes no part in this exchange */
#ifdef PAIR_TURNS
#define LAST_KIND LEFT_OUT
#else
#define LAST_KIND 2
#endif
byte kind[2 * (EPOCHS + 1)];       /* by sender and epoch */
#define KIND_OF(sender, e) kind[(sender) * (EPOCHS + 1) + (e)]
byte number[2 * (EPOCHS + 1)];     /* of the exchange, as turns are counted, by receiver and epoch */
#define NUMBER_OF(receiver, e) number[(receiver) * (EPOCHS + 1) + (e)]
#ifdef FROZEN_KIND
#define SENT_KIND(me, e) ((me) == 0 && (e) > 1 -> FROZEN_KIND : KIND_OF(me, e))
#else
#define SENT_KIND(me, e) KIND_OF(me, e)
#endif
#define IS_PACKETS(kind_) ((kind_) == 1 || (kind_) == 2)
#define HAS_CELL(kind_, i) ((kind_) != LEFT_OUT && ((kind_) != 1 || (i) == 0))
byte epoch[2];                     /* of the exchange under way; owned cells hold the same number */
bit refused[2];                    /* ProtocolError raised here, and the device stopped */
byte running[2];                   /* threads of the exchange kernel still at work */
bit go[2 * THREADS];
byte senders_done[2];
byte unpacked[2];
bit finished[2];

#define MARK(cells) ((cells) == 0 -> 0 : 1 + (cells) % MARKS)
#define IS_THERE(me, e, i, version) \
  ((version) < VERSIONS && (version) >= SEEN(me, UNPACKER + (i), me, SLOT(me, e, i)) && \
   MARK(VALUE(me, SLOT(me, e, i), ((version) < VERSIONS -> (version) : 0))) == MARK(e))
#define A_PACKET_IS_THERE(me, e, i) \
  (IS_THERE(me, e, i, 1) || IS_THERE(me, e, i, 2) || IS_THERE(me, e, i, 3) || IS_THERE(me, e, i, 4) || \
   IS_THERE(me, e, i, 5) || IS_THERE(me, e, i, 6) || IS_THERE(me, e, i, 7) || IS_THERE(me, e, i, 8) || \
   IS_THERE(me, e, i, 9) || IS_THERE(me, e, i, 10))

#ifdef FROZEN_ONE
#define TOKEN(me, e) ((me) == 0 -> 0 : ((e) - 1) % 2)
#else
#define TOKEN(me, e) (((e) - 1) % 2)
#endif
#include "packets_serial.pml"

/* What a flag was found to say: is it what was waited for? */
inline compare(me, flag_value) {
  REQUIRE(EPOCH_OF(flag_value) == epoch[me], flag_ahead);
  agreed = !REFUSAL_OF(flag_value) && TOKEN_OF(flag_value) == TOKEN(me, epoch[me]);
  refused[me] = refused[me] | !agreed
}
#ifdef MUTANT_SILENT_REFUSAL
#define TELLS(agreed_) (agreed_)
#define refuse(by, thread, owner, flag) skip
#else
#define TELLS(agreed_) true
#define refuse(by, thread, owner, flag) store(by, thread, owner, flag, FLAG(epoch[by], 1, TOKEN(by, epoch[by])))
#endif

/* Block 0 says ready, and waits for what is to come to be announced, or to have arrived. */
proctype Receiver(byte me) {
  byte got;
  bit agreed = 1;
end:
  do
  :: atomic {
       go[me * THREADS + RECEIVER] && MY_TURN(me, SIGNAL_TURN) -> go[me * THREADS + RECEIVER] = 0;
#ifdef MUTANT_READY_AFTER_PACKETS
       !IS_PACKETS(KIND_OF(1 - me, epoch[me])) || unpacked[me] == KIND_OF(1 - me, epoch[me]);
       d_step { /* they meet on a counter */
         join_views(VIEW(me, RECEIVER), VIEW(me, UNPACKER));
         join_views(VIEW(me, RECEIVER), VIEW(me, UNPACKER + 1))
       }
#endif
       d_step {
         store(me, RECEIVER, me, READY, FLAG(epoch[me], 0, TOKEN(me, epoch[me])));
#ifndef MUTANT_READY_RELAXED
         carry(me, RECEIVER, me, READY);
#endif
         END_TURN(me, SIGNAL_TURN)
       }
     }
     atomic {
       MY_TURN(me, RECEIVE_TURN);
       if
       :: IS_PACKETS(KIND_OF(1 - me, epoch[me])) ->
#ifndef MUTANT_NO_ANNOUNCEMENT_WAIT
          if
          :: poll(me, RECEIVER, me, ANNOUNCED(me, epoch[me]), epoch[me], got); /* no view is taken over */
             compare(me, VALUE(me, ANNOUNCED(me, epoch[me]), got))
#ifndef MUTANT_NO_LOOK_AT_ARRIVED
          :: poll(me, RECEIVER, me, ARRIVED, epoch[me], got);
             compare(me, VALUE(me, ARRIVED, got))
#endif
          fi
#endif
       :: else ->
          poll(me, RECEIVER, me, ARRIVED, epoch[me], got);
          d_step { join_views(VIEW(me, RECEIVER), RELEASED(me, ARRIVED, got)) }
          compare(me, VALUE(me, ARRIVED, got))
       fi;
       d_step {
         if
         :: !agreed -> refuse(me, RECEIVER, me, READY)
         :: else
         fi;
         END_TURN(me, RECEIVE_TURN);
         got = 0; agreed = 1;
         running[me] = running[me] - 1
       }
     }
  od
}

inline await_ready(me, thread, got) {
  poll(me, thread, 1 - me, READY, epoch[me], got);
#ifndef MUTANT_READY_ACCEPTED_RELAXED
  d_step { join_views(VIEW(me, thread), RELEASED(1 - me, READY, got)) }
#endif
}
#ifdef MUTANT_READY_EXACT
#define GONE_ON(me, flag_value) false
#else
#define GONE_ON(me, flag_value) \
  (NUMBER_OF(1 - me, EPOCH_OF(flag_value)) == NUMBER_OF(1 - me, epoch[me]) + 1 && !REFUSAL_OF(flag_value))
#endif

/* Block 0 announces packets at once, and waits for ready: of this exchange, or of the next one, as the receiver may have compared
 * the announcement and gone on. */
proctype Watcher(byte me) {
  byte got;
  bit agreed = 1;
end:
  do
  :: atomic {
       go[me * THREADS + WATCHER] && MY_TURN(me, ANNOUNCE_TURN) -> go[me * THREADS + WATCHER] = 0;
       d_step {
         store(me, WATCHER, 1 - me, ANNOUNCED(1 - me, epoch[me]), FLAG(epoch[me], 0, TOKEN(me, epoch[me])));
         END_TURN(me, ANNOUNCE_TURN)
       }
     }
     atomic {
       MY_TURN(me, WATCH_TURN);
#ifndef MUTANT_NO_READY_WAIT
       await_ready(me, WATCHER, got);
       if
       :: GONE_ON(me, VALUE(1 - me, READY, got)) -> skip
       :: else -> compare(me, VALUE(1 - me, READY, got))
       fi;
#endif
       d_step {
         if
         :: !agreed -> refuse(me, WATCHER, 1 - me, ARRIVED)
         :: else
         fi;
         END_TURN(me, WATCH_TURN);
         got = 0; agreed = 1;
         running[me] = running[me] - 1
       }
     }
  od
}

/* Sending block of one cell: packets wait for nothing; rows for ready, and the last block says arrived. */
proctype Sender(byte me; byte i) {
  byte got;
  bit agreed = 1;
end:
  do
  :: atomic {
       go[me * THREADS + SENDER + i] && MY_TURN(me, SEND_TURN(i)) -> go[me * THREADS + SENDER + i] = 0;
       if
       :: IS_PACKETS(SENT_KIND(me, epoch[me])) ->
          /* what was in this slot before must have been read, and the slot emptied */
          REQUIRE(SEES_NEWEST(me, SENDER + i, 1 - me, SLOT(1 - me, epoch[me], i)), data_race);
          REQUIRE(SEES_NEWEST(me, SENDER + i, 1 - me, SLOT_READ(1 - me, epoch[me], i)), data_race);
          d_step { store(me, SENDER + i, 1 - me, SLOT(1 - me, epoch[me], i), epoch[me]) }
       :: else ->
          await_ready(me, SENDER + i, got);
          compare(me, VALUE(1 - me, READY, got));
          if
          :: agreed ->
             REQUIRE(SEES_NEWEST(me, SENDER + i, 1 - me, HALO(i)), data_race);
             REQUIRE(SEES_NEWEST(me, SENDER + i, 1 - me, HALO_READ(i)), data_race);
             d_step { store(me, SENDER + i, 1 - me, HALO(i), epoch[me]) }
          :: else
          fi;
          d_step {
            join_views(VIEW(me, JOIN), VIEW(me, SENDER + i));
            join_views(VIEW(me, SENDER + i), VIEW(me, JOIN));
            senders_done[me] = senders_done[me] + 1;
            if
            :: senders_done[me] == 2 && TELLS(agreed) ->
               store(me, SENDER + i, 1 - me, ARRIVED, FLAG(epoch[me], !agreed, TOKEN(me, epoch[me])));
               carry(me, SENDER + i, 1 - me, ARRIVED)
            :: else
            fi;
            got = 0; agreed = 1
          }
       fi;
       d_step { END_TURN(me, SEND_TURN(i)); running[me] = running[me] - 1 }
     }
  od
}

/* Unpacking block of one cell: polls its slot, unless the device is stopped, and empties it. */
proctype Unpacker(byte me; byte i) {
  byte got;
#ifdef MUTANT_NO_STOP
#define STOPPED(me) false
#else
#define STOPPED(me) refused[me]
#endif
end:
  do
  :: atomic {
       go[me * THREADS + UNPACKER + i] && MY_TURN(me, UNPACK_TURN(i)) -> go[me * THREADS + UNPACKER + i] = 0;
       if
       :: A_PACKET_IS_THERE(me, epoch[me], i) ->
          got = SEEN(me, UNPACKER + i, me, SLOT(me, epoch[me], i));
          do
          :: IS_THERE(me, epoch[me], i, got) -> break
          :: got < NEWEST(me, SLOT(me, epoch[me], i)) -> got++
          od;
          REQUIRE(SEES_NEWEST(me, UNPACKER + i, me, HALO(i)), data_race);
          REQUIRE(SEES_NEWEST(me, UNPACKER + i, me, HALO_READ(i)), data_race);
          d_step {
            SEEN(me, UNPACKER + i, me, SLOT(me, epoch[me], i)) = got;
            mark_read(me, UNPACKER + i, SLOT_READ(me, epoch[me], i));
            store(me, UNPACKER + i, me, HALO(i), VALUE(me, SLOT(me, epoch[me], i), got))
          }
       :: STOPPED(me)
       fi
     }
     atomic {
#ifndef MUTANT_NO_RESET
       if
       :: got != 0 ->
          REQUIRE(SEES_NEWEST(me, UNPACKER + i, me, SLOT(me, epoch[me], i)), packet_lost);
          d_step { store(me, UNPACKER + i, me, SLOT(me, epoch[me], i), 0) }
       :: else
       fi;
#endif
       d_step { END_TURN(me, UNPACK_TURN(i)); got = 0; unpacked[me] = unpacked[me] + 1; running[me] = running[me] - 1 }
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

inline launch(by, thread, its_turn, takes_part) {
  if
  :: takes_part ->
     join_views(VIEW(by, thread), VIEW(by, STREAM));
     go[by * THREADS + thread] = 1;
     TAKE_TURN(by, its_turn);
     running[by] = running[by] + 1
  :: else
  fi
}
inline read_halo(me, i, got) {
  if
  :: RECEIVES(me) && HAS_CELL(KIND_OF(1 - me, epoch[me]), i) ->
     select(got : SEEN(me, STREAM, me, HALO(i)) .. NEWEST(me, HALO(i)));
     REQUIRE(SEES_NEWEST(me, STREAM, me, HALO(i)), data_race);
     REQUIRE(VALUE(me, HALO(i), got) == epoch[me], wrong_data);
     d_step { mark_read(me, STREAM, HALO_READ(i)); got = 0 }
  :: else
  fi
}

/* The user's stream: exchange, a kernel that reads the halo and writes owned cells, again. */
proctype Stream(byte me) {
  byte got;
  do
  :: atomic {
       epoch[me] < EPOCHS && !refused[me] ->
       d_step { /* launch: the kernel's threads see all work enqueued before it */
         epoch[me] = epoch[me] + 1;
         senders_done[me] = 0;
         unpacked[me] = 0;
         launch(me, SENDER, SEND_TURN(0), SENDS(me) && HAS_CELL(SENT_KIND(me, epoch[me]), 0));
         launch(me, SENDER + 1, SEND_TURN(1), SENDS(me) && HAS_CELL(SENT_KIND(me, epoch[me]), 1));
         launch(me, WATCHER, ANNOUNCE_TURN, SENDS(me) && IS_PACKETS(SENT_KIND(me, epoch[me])));
         launch(me, RECEIVER, RECEIVE_TURN, RECEIVES(me) && KIND_OF(1 - me, epoch[me]) != LEFT_OUT);
         launch(me, UNPACKER, UNPACK_TURN(0), RECEIVES(me) && IS_PACKETS(KIND_OF(1 - me, epoch[me])));
         launch(me, UNPACKER + 1, UNPACK_TURN(1), RECEIVES(me) && KIND_OF(1 - me, epoch[me]) == 2);
         if
         :: go[me * THREADS + RECEIVER] -> TAKE_TURN(me, SIGNAL_TURN)
         :: else
         fi;
         if
         :: go[me * THREADS + WATCHER] -> TAKE_TURN(me, WATCH_TURN)
         :: else
         fi
       }
     }
     atomic {
       running[me] == 0 -> /* the kernel ends: what its threads saw, the stream has seen */
       d_step {
         join_views(VIEW(me, STREAM), VIEW(me, RECEIVER));
         join_views(VIEW(me, STREAM), VIEW(me, WATCHER));
         join_views(VIEW(me, STREAM), VIEW(me, SENDER));
         join_views(VIEW(me, STREAM), VIEW(me, SENDER + 1));
         join_views(VIEW(me, STREAM), VIEW(me, UNPACKER));
         join_views(VIEW(me, STREAM), VIEW(me, UNPACKER + 1))
       }
       if
       :: !refused[me] -> read_halo(me, 0, got); read_halo(me, 1, got)
       :: else
       fi
     }
  :: atomic { epoch[me] == EPOCHS || refused[me] -> break }
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
  byte e = 1;
  int of_0 = KINDS, of_1 = KINDS_BACK;
  atomic {
    do
    :: e <= EPOCHS ->
#ifdef MIX
       select(of_0 : ROWS .. LAST_KIND);
#ifndef ONE_WAY
       select(of_1 : ROWS .. LAST_KIND);
#endif
#endif
       KIND_OF(0, e) = of_0 % 10;
       KIND_OF(1, e) = of_1 % 10;
#ifdef PAIR_TURNS
       NUMBER_OF(0, e) = NUMBER_OF(0, e - 1) + (KIND_OF(1, e) != LEFT_OUT);
       NUMBER_OF(1, e) = NUMBER_OF(1, e - 1) + (KIND_OF(0, e) != LEFT_OUT);
#else
       NUMBER_OF(0, e) = e;
       NUMBER_OF(1, e) = e;
#endif
       of_0 = of_0 / 10;
       of_1 = of_1 / 10;
       e++
    :: else -> break
    od;
    e = 0; of_0 = 0; of_1 = 0;
    run Stream(0); run Stream(1);
    run Sender(0, 0); run Sender(0, 1); run Watcher(0);
    run Receiver(1); run Unpacker(1, 0); run Unpacker(1, 1);
#ifndef ONE_WAY
    run Sender(1, 0); run Sender(1, 1); run Watcher(1);
    run Receiver(0); run Unpacker(0, 0); run Unpacker(0, 1);
#endif
  }
}
