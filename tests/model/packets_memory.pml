/* The memory of packets.pml. It is that of direct.pml: a load returns ANY version from its thread's view to the newest; only a
 * release store takes its thread's view along, and only an acquire load of that very store takes it over; kernel boundaries
 * order the views of one device's threads. Here a slot of the receive buffer, and a halo cell, have two writers and one history.
 * Slots are accessed relaxed only: a poll may find any version with the right mark, and takes over no view. Who stores without
 * having seen the newest version, or without the marks of all reads, is in a race. A flag's version holds epoch and token, as on
 * GPUs; announcements are accessed relaxed only, by one writer. Loads of a user's kernel are never late: what stores packets into
 * its halo is its own device.
 */
#define VERSIONS (2 * EPOCHS + 1)

/* The names of the verdicts: never set, they only make a failed assertion say what it is about. */
bit wrong_data, data_race, packet_lost, flag_ahead, protocol_error, sides_disagree;
#define REQUIRE(c, verdict) assert((c) || verdict)

/* Locations of the subdomain that receives; READY lies with the other. The marks are not memory: see direct.pml. */
#define SLOT(owner, e, i) (NUMBER_OF(owner, e) % TURNS * 2 + (i))
#define HALO(i) (2 * TURNS + (i))
#define READY (2 * TURNS + 2)
#define ARRIVED (2 * TURNS + 3)
#define ANNOUNCED(owner, e) (2 * TURNS + 4 + NUMBER_OF(owner, e) % FLAG_TURNS)
#define STORED (2 * TURNS + 4 + FLAG_TURNS)
#define HALO_READ(i) (STORED + (i))
#define SLOT_READ(owner, e, i) (STORED + 2 + SLOT(owner, e, i))
#define LOCATIONS (STORED + 2 + 2 * TURNS)
#define AT(owner, location) ((owner) * LOCATIONS + (location))
#define VALUE(owner, location, version) value[((owner) * STORED + (location)) * VERSIONS + (version)]
#define NEWEST(owner, location) newest[AT(owner, location)]

byte newest[2 * LOCATIONS];
byte value[2 * STORED * VERSIONS]; /* cells: epoch they are of; slots: the same, 0 is empty; flags: as FLAG() */
#define FLAG(e, refusal, token) (4 * (e) + 2 * (refusal) + (token))
#define EPOCH_OF(flag) ((flag) / 4)
#define REFUSAL_OF(flag) ((flag) / 2 % 2)
#define TOKEN_OF(flag) ((flag) % 2)

typedef View { byte seen[2 * LOCATIONS] };
View released[4 * (EPOCHS + 2)];   /* what the store of ready or arrived carries along; one more may be a refusal */
#define RELEASED(owner, flag, version) released[((owner) * 2 + (flag) - READY) * (EPOCHS + 2) + (version)]

#define STREAM 0
#define RECEIVER 1
#define WATCHER 2
#define SENDER 3   /* and 4: one a cell */
#define UNPACKER 5 /* and 6 */
#define JOIN 7     /* the device-scope counter on which senders of rows meet */
#define THREADS 8
View views[2 * THREADS];
#define VIEW(me, thread) views[(me) * THREADS + (thread)]
#define SEEN(me, thread, owner, location) VIEW(me, thread).seen[AT(owner, location)]
#define SEES_NEWEST(me, thread, owner, location) (SEEN(me, thread, owner, location) == NEWEST(owner, location))

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
/* A new version, which only its writer is obliged to see. */
inline store(by, thread, owner, location, v) {
  NEWEST(owner, location) = NEWEST(owner, location) + 1;
  VALUE(owner, location, NEWEST(owner, location)) = v;
  SEEN(by, thread, owner, location) = NEWEST(owner, location)
}
inline mark_read(by, thread, mark) {
  NEWEST(by, mark) = NEWEST(by, mark) + 1;
  SEEN(by, thread, by, mark) = NEWEST(by, mark)
}
/* The store of a flag takes its thread's view along. */
inline carry(by, thread, owner, flag) {
  join_views(RELEASED(owner, flag, NEWEST(owner, flag)), VIEW(by, thread))
}
#define REACHED(owner, flag, e) (EPOCH_OF(VALUE(owner, flag, NEWEST(owner, flag))) >= (e))
/* Any version that the thread may still read and that has reached e: the last look of a polling loop. */
inline poll(by, thread, owner, flag, e, got) {
  REACHED(owner, flag, e);
  got = NEWEST(owner, flag);
  do
  :: got > SEEN(by, thread, owner, flag) && EPOCH_OF(VALUE(owner, flag, got - 1)) >= e -> got--
  :: break
  od;
  SEEN(by, thread, owner, flag) = got
}
