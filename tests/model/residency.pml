/* SPDX-License-Identifier: BSD-3-Clause
 * Which blocks of kernels are on a device at a time (docs/decisions/0093-awaited-halos.md). Two devices; on each a stream for each
 * domain, in which an exchange and an update follow each other. A device has SLOTS places for blocks, and takes blocks of
 * any kernel that may start, in any order. A block keeps its place until it ends. A block of an exchange ends when the other
 * device has begun all blocks of the same exchange; a block of an update when the exchange before it has ended here. The
 * exchanges of both domains fit beside each other.
 *
 * When an update may start:
 *   (default)      when the exchange before it has ended
 *   EARLY          when all blocks of that exchange are on the device
 *   ONE_EARLY      so in the first domain
 *   MUTANT_TRIGGER when its first block is
 */
#ifndef EPOCHS
#define EPOCHS 3
#endif
#ifndef DOMAINS
#define DOMAINS 1
#endif
#ifndef SLOTS
#define SLOTS 4
#endif
#define BLOCKS 2  /* of an exchange */
#define UPDATES 4 /* blocks of an update: as many as there are places */

/* Of all epochs, by 2 * domain + device. */
byte begun[4], ended[4];     /* blocks of exchanges */
byte updating[4], updated[4]; /* blocks of updates */

#define USED(d) \
  (begun[d] - ended[d] + updating[d] - updated[d] + begun[2 + d] - ended[2 + d] + updating[2 + d] - updated[2 + d])

/* By the number of a block. */
#define EXCHANGE(n) ((n) / BLOCKS)
#define UPDATE(n) ((n) / UPDATES)
#define ALL(exchanges) ((exchanges) * BLOCKS)

#define AT_THE_END(at) (ended[at] >= ALL(UPDATE(updating[at]) + 1))
#define AT_THE_START(at) (begun[at] >= ALL(UPDATE(updating[at]) + 1))
#if defined(MUTANT_TRIGGER)
#define MAY_UPDATE(at) (begun[at] > ALL(UPDATE(updating[at])))
#elif defined(EARLY)
#define MAY_UPDATE(at) AT_THE_START(at)
#elif defined(ONE_EARLY)
#define MAY_UPDATE(at) (AT_THE_END(at) || (at < 2 && AT_THE_START(at)))
#else
#define MAY_UPDATE(at) AT_THE_END(at)
#endif

proctype stream(byte at; byte d; byte other) {
  do
  :: atomic { begun[at] < ALL(EPOCHS) && USED(d) < SLOTS && updated[at] >= EXCHANGE(begun[at]) * UPDATES -> begun[at]++ }
  :: atomic { ended[at] < begun[at] && begun[other] >= ALL(EXCHANGE(ended[at]) + 1) -> ended[at]++ }
  :: atomic { updating[at] < EPOCHS * UPDATES && USED(d) < SLOTS && MAY_UPDATE(at) -> updating[at]++ }
  :: atomic { updated[at] < updating[at] && ended[at] >= ALL(UPDATE(updated[at]) + 1) -> updated[at]++ }
  :: atomic { updated[at] == EPOCHS * UPDATES -> break }
  od
}

init {
  byte domain = 0;
  atomic {
    do
    :: domain < DOMAINS ->
      run stream(2 * domain, 0, 2 * domain + 1);
      run stream(2 * domain + 1, 1, 2 * domain);
      domain++
    :: else -> break
    od
  }
}
