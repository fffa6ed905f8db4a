#pragma once

#include <cstdint>
#include <vector>

#include "halocline/device/flag.hpp"
#include "halocline/device/strided_copy.hpp"

namespace halocline::device {

/// Cells that a device stores into memory that others read.
struct OutgoingPart {
  FlagWait ready;                   ///< that memory may be written
  std::vector<StridedCopy> copies;  ///< may be empty
  FlagSignal arrived;               ///< behind the last store
  /// Those of a lower turn are on their way first; several with one `ready` are pieces of what goes to one place.
  int turn = 0;
};

/// Cells that others store into this device's memory.
struct IncomingPart {
  FlagSignal ready;                 ///< the memory may be written; flag null where another part says so
  FlagWait arrived;                 ///< all is there
  std::vector<StridedCopy> copies;  ///< behind that: from where it landed to where it belongs; may be empty
  int turn = 0;                     ///< that of the part that comes
};

/// Who takes part in exchanges under an epoch of its own: the number of those that are done, in device memory, 0 at first.
/// Its flags carry that number, and nothing else advances it.
struct Party {
  std::uint64_t* epoch = nullptr;
  std::vector<CounterCheck> expected;
  std::vector<OutgoingPart> outgoing;
  std::vector<IncomingPart> incoming;
};

/// What a device does in an exchange, for all parties that live on it:
///
///   1. where a counter is not as expected, fails with ProtocolError, and says and stores nothing;
///   2. for exchange e = *epoch + 1 of each party, says all its `ready` with e;
///   3. waits for each outgoing part's `ready` at e, copies it, and says its `arrived` with e; does the local copies;
///   4. waits for each incoming part's `arrived` at e, and does its copies;
///   5. *epoch = e, at the latest.
///
/// 2 waits for nothing, 3 waits for nothing but 2, and 4 for nothing but 3, of whatever device: the protocol of
/// docs/decisions/0010. No two copies write the same byte, and none reads what another one writes, but for 4 behind 3.
struct FusedPlan {
  std::vector<Party> parties;
  std::vector<StridedCopy> local;  ///< within the device; need no flags
  /// It takes no more room at a time than so many multiprocessors have; 0: as many as are of use. No meaning on the host.
  int multiprocessors = 0;
};

/// A plan that is prepared once, and run many times, one after the other, as one operation of a stream.
class FusedExchange {
 public:
  virtual ~FusedExchange() = default;
  /// Throws what streams of its own failed with, where it has any. Never blocks.
  virtual void check() {}
};

}  // namespace halocline::device
