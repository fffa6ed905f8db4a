/* SERIAL of packets.pml: what comes first where one block is on the device at a time; block 0 comes twice. */
byte turns[2]; /* those to come, a bit each */
#define SIGNAL_TURN 0
#define ANNOUNCE_TURN 1
#ifdef MUTANT_UNPACK_FIRST
#define UNPACK_TURN(i) (2 + (i))
#define SEND_TURN(i) (4 + (i))
#define RECEIVE_TURN 6
#define WATCH_TURN 7
#else
#define SEND_TURN(i) (2 + (i))
#if defined(MUTANT_ANNOUNCE_LATE)
#undef ANNOUNCE_TURN
#define RECEIVE_TURN 4
#define ANNOUNCE_TURN 5
#define WATCH_TURN 5
#elif defined(WATCH_FIRST)
#define WATCH_TURN 4
#define RECEIVE_TURN 5
#else
#define RECEIVE_TURN 4
#define WATCH_TURN 5
#endif
#define UNPACK_TURN(i) (6 + (i))
#endif
#ifdef SERIAL
#define MY_TURN(me, t) ((turns[me] & ((1 << (t)) - 1)) == 0)
#define TAKE_TURN(me, t) turns[me] = turns[me] | (1 << (t))
#define END_TURN(me, t) turns[me] = turns[me] & ~(1 << (t))
#else
#define MY_TURN(me, t) true
#define TAKE_TURN(me, t) skip
#define END_TURN(me, t) skip
#endif
