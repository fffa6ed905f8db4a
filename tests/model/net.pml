/* The `net` transport, for one pair of subdomains (docs/decisions/0066-net.md): a device packs into one of two send slots and posts
 * it, a network engine puts the slot into the receiver's landing slot of the same turn and raises a flag there; `ready` goes back
 * the same way, without cells.
 *
 * Memory is in the order of time: each flag is released by its writer and acquired by its reader, and what lies between a post
 * and a signal is the engine's. The engine is as free as a network: it reads and lands each cell at a time of its own, in any
 * order, after the post and before the signal of the same put; puts of the two turns, of the two directions, and `ready`, overtake each
 * other (each is a process of its own); it reads the source again until it reports completion (a packet that was lost).
 *
 * A device makes its exchange's two parts, sending and receiving, in any order and interleaved, after it has posted `ready`.
 * Variants: EPOCHS, ONE_WAY (only 0 sends), SERIAL (sending before receiving), SLOTS, FLAG_TURNS, FROZEN_ONE (0's token stays).
 * Mutants: MUTANT_...; see net.cases.
 */
#ifndef EPOCHS
#define EPOCHS 4
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef FLAG_TURNS
#define FLAG_TURNS 2
#endif
#define TURNS 2
#define CELLS 2

/* The names of the verdicts: never set, they only make a failed assertion say what it is about. */
bit wrong_data, source_reused, slot_reused, flag_ahead, protocol_error, sides_disagree;
#define REQUIRE(c, verdict) assert((c) || verdict)

/* By the sender of the cells. A flag has an epoch and a token. */
#define CELL(from, e, i) ((from) * SLOTS * CELLS + (e) % SLOTS * CELLS + (i))
#define SLOT(from, e) ((from) * SLOTS + (e) % SLOTS)
#define FLAG(from, e) ((from) * FLAG_TURNS + (e) % FLAG_TURNS)
#define POST(from, e) ((from) * TURNS + (e) % TURNS)
byte source[2 * SLOTS * CELLS];    /* the epoch whose cells these are */
byte landing[2 * SLOTS * CELLS];
bit under_way[2 * SLOTS];          /* posted, and not complete at the sender */
bit taken[2 * SLOTS];               /* signalled, and not unpacked */
byte posted[2 * TURNS];            /* from the device to its engine: epochs; tokens follow from them */
byte ready_posted[2 * TURNS];
byte arrived[2 * FLAG_TURNS];      /* from an engine to the device */
byte arrived_token[2 * FLAG_TURNS];
byte ready[2 * FLAG_TURNS];
byte ready_token[2 * FLAG_TURNS];
byte complete[2];                  /* puts that are complete at the sender, in order */
byte epoch[2];
bit refused[2];
bit finished[2];

#ifdef ONE_WAY
#define SENDS(me) ((me) == 0)
#define RECEIVES(me) ((me) == 1)
#else
#define SENDS(me) true
#define RECEIVES(me) true
#endif
#ifdef FROZEN_ONE
#define TOKEN(me, e) ((me) == 0 -> 0 : ((e) - 1) % 2)
#else
#define TOKEN(me, e) (((e) - 1) % 2)
#endif
#ifdef MUTANT_WRAP /* counts of few bits */
#define COUNT(e) ((e) % 4)
#else
#define COUNT(e) (e)
#endif

/* One turn of the puts of a direction: from = the sender of the cells. */
proctype Puts(byte from; byte first) {
  byte e = first;
  bit landed[CELLS];
end:
  do
  :: posted[POST(from, e)] == e ->
#ifdef MUTANT_SIGNAL_FIRST
     atomic { arrived_token[FLAG(from, e)] = TOKEN(from, e); arrived[FLAG(from, e)] = COUNT(e) }
#endif
     do
     :: atomic { !landed[0] ->
          REQUIRE(!taken[SLOT(from, e)], slot_reused);
          landing[CELL(from, e, 0)] = source[CELL(from, e, 0)]; landed[0] = 1 }
     :: atomic { !landed[1] ->
          REQUIRE(!taken[SLOT(from, e)], slot_reused);
          landing[CELL(from, e, 1)] = source[CELL(from, e, 1)]; landed[1] = 1 }
     :: atomic { landed[0] && landed[1] -> break }
     od;
     atomic {
       landed[0] = 0; landed[1] = 0;
       taken[SLOT(from, e)] = 1;
#ifndef MUTANT_SIGNAL_FIRST
       arrived_token[FLAG(from, e)] = TOKEN(from, e);
       arrived[FLAG(from, e)] = COUNT(e)
#endif
     }
     atomic {
#ifndef MUTANT_NO_COMPLETION /* completions are reported in order */
       complete[from] == e - 1;
#endif
       REQUIRE(source[CELL(from, e, 0)] == e && source[CELL(from, e, 1)] == e, source_reused);
       complete[from] = e;
       under_way[SLOT(from, e)] = 0;
       e = e + TURNS
     }
  od
}

#ifdef MUTANT_NO_COMPLETION
#define COMPLETED(from, e) true
#else
#define COMPLETED(from, e) (complete[from] >= (e))
#endif
/* One turn of `ready`, back to the sender of the cells. It is raised behind the completion of the put that it sets free. */
proctype Readies(byte from; byte first) {
  byte e = first;
end:
  do
  :: atomic {
       ready_posted[POST(from, e)] == e && COMPLETED(from, e - 1) -> ready_token[FLAG(from, e)] = TOKEN(1 - from, e);
       ready[FLAG(from, e)] = COUNT(e);
       e = e + TURNS
     }
  od
}

inline accept(flag, token_there, token_here) {
  REQUIRE(flag == COUNT(epoch[me]), flag_ahead);
  refused[me] = refused[me] | (token_there != token_here)
}
#ifdef MUTANT_NO_READY_WAIT
#define IS_READY true
#define accept_ready skip
#else
#define IS_READY (ready[FLAG(me, epoch[me])] >= COUNT(epoch[me]))
#ifdef MUTANT_NO_READY_TOKEN
#define accept_ready accept(ready[FLAG(me, epoch[me])], TOKEN(me, epoch[me]), TOKEN(me, epoch[me]))
#else
#define accept_ready accept(ready[FLAG(me, epoch[me])], ready_token[FLAG(me, epoch[me])], TOKEN(me, epoch[me]))
#endif
#endif
#define HAS_ARRIVED (arrived[FLAG(1 - me, epoch[me])] >= COUNT(epoch[me]))

inline post_ready() {
  atomic { ready_posted[POST(1 - me, epoch[me])] = epoch[me] }
}

#ifdef MUTANT_RECEIVE_FIRST
#define MAY_SEND (receiving == 3)
#else
#define MAY_SEND true
#endif
#ifdef SERIAL
#define MAY_RECEIVE (sending >= 3)
#else
#define MAY_RECEIVE true
#endif

/* sending and receiving count the steps of the exchange's two parts. */
proctype Device(byte me) {
  byte sending, receiving;
  do
  :: atomic { epoch[me] < EPOCHS && !refused[me] ->
       epoch[me] = epoch[me] + 1;
       sending = (SENDS(me) -> 0 : 4);
       receiving = (RECEIVES(me) -> 0 : 3) }
#ifndef MUTANT_READY_LAST
     if
     :: receiving == 0 -> post_ready()
     :: else
     fi;
#endif
     do
#ifdef MUTANT_ROUND_TRIP
     :: atomic { sending == 0 && MAY_SEND && IS_READY -> accept_ready; sending = 1 }
#else
     :: atomic { sending == 0 && MAY_SEND -> sending = 1 }
#endif
     :: atomic { sending == 1 ->
          REQUIRE(!under_way[SLOT(me, epoch[me])], source_reused);
          source[CELL(me, epoch[me], 0)] = epoch[me]; sending = 2 }
     :: atomic { sending == 2 ->
          source[CELL(me, epoch[me], 1)] = epoch[me];
          under_way[SLOT(me, epoch[me])] = 1;
          posted[POST(me, epoch[me])] = epoch[me]; sending = 3 }
#ifdef MUTANT_ROUND_TRIP
     :: atomic { sending == 3 -> sending = 4 }
#else
     :: atomic { sending == 3 && IS_READY -> accept_ready; sending = 4 }
#endif
     :: atomic { receiving == 0 && MAY_RECEIVE && HAS_ARRIVED ->
          accept(arrived[FLAG(1 - me, epoch[me])], arrived_token[FLAG(1 - me, epoch[me])], TOKEN(me, epoch[me]));
          receiving = 1 }
     :: atomic { receiving == 1 ->
          REQUIRE(refused[me] || landing[CELL(1 - me, epoch[me], 0)] == epoch[me], wrong_data); receiving = 2 }
     :: atomic { receiving == 2 ->
          REQUIRE(refused[me] || landing[CELL(1 - me, epoch[me], 1)] == epoch[me], wrong_data);
          taken[SLOT(1 - me, epoch[me])] = 0; receiving = 3 }
     :: atomic { sending == 4 && receiving == 3 -> break }
     od;
#ifdef MUTANT_READY_LAST
     if
     :: RECEIVES(me) -> post_ready()
     :: else
     fi
#endif
  :: atomic { epoch[me] == EPOCHS || refused[me] -> break }
  od;
  REQUIRE(!refused[me], protocol_error);
  atomic {
    finished[me] = 1;
    if
    :: finished[1 - me] ->
       REQUIRE(refused[0] == refused[1] && epoch[0] == epoch[1], sides_disagree)
    :: else
    fi
  }
}

init {
  atomic {
    run Device(0); run Device(1);
    run Puts(0, 1); run Puts(0, 2); run Readies(0, 1); run Readies(0, 2);
#ifndef ONE_WAY
    run Puts(1, 1); run Puts(1, 2); run Readies(1, 1); run Readies(1, 2);
#endif
  }
}
