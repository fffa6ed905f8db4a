// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halocline/error.hpp"
#include "machines.hpp"

namespace halocline::mapping {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

machine::MachineMap two_nodes(bool uuids) {
  auto map = machine_of({dual_node(2, 2)}, {0, 0});
  if (!uuids) return map;
  map.nodes[0].device_uuids = {"GPU-a0", "GPU-a1"};
  map.nodes[1].device_uuids = {"GPU-b0", "GPU-b1"};
  return map;
}

const std::vector<Seat> scattered{{1, 3, 1}, {0, 0, 0}, {1, 2, 0}, {0, 1, 1}};
const std::vector<Seat> in_blocks{{0, 2, 1}, {0, 0, 0}, {1, 2, 0}, {1, 0, 1}};

std::string text_of(const Launch& launch, const std::string& name) {
  for (const auto& file : launch.files) {
    if (file.name == name) return file.text;
  }
  return {};
}

TEST(OpenMpi, names_host_and_logical_core_of_each_rank) {
  const auto map = two_nodes(true);
  const auto launch = make_launch(Launcher::openmpi_rankfile, {&map, scattered, {}});
  EXPECT_EQ(text_of(launch, "rankfile"), "rank 0=n1 slot=3\nrank 1=n0 slot=0\nrank 2=n1 slot=2\nrank 3=n0 slot=1\n");
  EXPECT_EQ(launch.command, "mpirun -n 4 --rankfile rankfile ./wrapper.sh PROGRAM");
  const std::string wrapper = text_of(launch, "wrapper.sh");
  EXPECT_THAT(wrapper, HasSubstr("\n  0) device=GPU-b1 core=3 ;;"));
  EXPECT_THAT(wrapper, HasSubstr("\n  3) device=GPU-a1 core=1 ;;"));
  EXPECT_THAT(wrapper, Not(HasSubstr("taskset")));
  EXPECT_THAT(wrapper, Not(HasSubstr("CUDA_DEVICE_ORDER")));
}

TEST(Wrapper, says_that_it_takes_indices_without_uuids) {
  const auto map = two_nodes(false);
  const auto launch = make_launch(Launcher::openmpi_rankfile, {&map, scattered, {}});
  EXPECT_THAT(text_of(launch, "wrapper.sh"), HasSubstr("CUDA_DEVICE_ORDER=PCI_BUS_ID"));
  EXPECT_THAT(launch.notes, Contains(HasSubstr("the map lacks UUIDs of GPUs")));
}

TEST(Wrapper, refuses_uuids_that_a_shell_would_read_otherwise) {
  for (const char* uuid : {"GPU-$(touch x)", "GPU-`x`", "GPU-a b", "GPU-a;b", "GPU-a\nb", "MIG-'", "GPU-\xff"}) {
    auto map = two_nodes(true);
    map.nodes[1].device_uuids[1] = uuid;
    EXPECT_THAT(
        [&] {
          static_cast<void>(make_launch(Launcher::slurm, {&map, scattered, {}}));
        },
        ThrowsMessage<InvalidArgument>(HasSubstr("nodes[1].device_uuids[1] is '")))
        << uuid;
    // A device without processes is not written.
    EXPECT_NO_THROW(static_cast<void>(make_launch(Launcher::slurm, {&map, {{0, 0, 0}}, {}})));
  }
  auto map = two_nodes(true);
  map.nodes[1].device_uuids[1] = "MIG-GPU-b1/1/0";
  const auto launch = make_launch(Launcher::slurm, {&map, scattered, {}});
  EXPECT_THAT(text_of(launch, "wrapper.sh"), HasSubstr("\n  0) device=MIG-GPU-b1/1/0 core=3 ;;"));
}

TEST(Slurm, binds_by_itself_where_nodes_are_alike_and_processors_known) {
  const auto map = two_nodes(true);
  const auto alike = make_launch(Launcher::slurm, {&map, in_blocks, {0, 2, 1, 3}});
  EXPECT_EQ(text_of(alike, "hostfile"), "n0\nn0\nn1\nn1\n");
  EXPECT_EQ(alike.command,
            "SLURM_HOSTFILE=hostfile srun --nodes=2 --ntasks=4 --distribution=arbitrary --cpu-bind=map_cpu:1,0 "
            "./wrapper.sh PROGRAM");
  for (const auto& [seats, numbers] :
       {std::pair{in_blocks, std::vector<int>{}}, std::pair{scattered, std::vector{0, 2, 1, 3}}}) {
    const auto launch = make_launch(Launcher::slurm, {&map, seats, numbers});
    EXPECT_THAT(launch.command, HasSubstr("--cpu-bind=none"));
    EXPECT_THAT(text_of(launch, "wrapper.sh"), HasSubstr("taskset"));
  }
}

TEST(Hydra, takes_one_host_a_line) {
  const auto map = two_nodes(true);
  const auto alike = make_launch(Launcher::mpich, {&map, in_blocks, {0, 2, 1, 3}});
  EXPECT_EQ(text_of(alike, "hosts"), "n0:1\nn0:1\nn1:1\nn1:1\n");
  EXPECT_EQ(alike.command, "mpiexec -f hosts -n 4 -bind-to user:1,0 ./wrapper.sh PROGRAM");
  const auto other = make_launch(Launcher::mpich, {&map, scattered, {0, 2, 1, 3}});
  EXPECT_THAT(other.command, HasSubstr("-bind-to none"));
  EXPECT_THAT(other.notes, Contains(HasSubstr("Hydra takes a host that appears again")));
}

TEST(Launch, refuses_names_that_are_no_hosts) {
  auto map = two_nodes(true);
  const auto launch = [&] { static_cast<void>(make_launch(Launcher::slurm, {&map, scattered, {}})); };
  map.nodes[1].name = "n1; rm";
  EXPECT_THAT(launch, ThrowsMessage<InvalidArgument>(HasSubstr("nodes[1].name is 'n1; rm'; allowed is a host name")));
  map.nodes[1].name = "n0";
  EXPECT_THAT(launch, ThrowsMessage<InvalidArgument>(HasSubstr("nodes[1].name is 'n0', as another node's is")));
  map.nodes[1].name = "n1";
  EXPECT_THAT(
      [&] {
        static_cast<void>(make_launch(Launcher::slurm, {&map, scattered, {0, 1}}));
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("2 processor numbers, but core 3 is used")));
}

TEST(Wrapper, leaves_gpus_alone_where_no_process_has_one) {
  const auto map = two_nodes(true);
  const std::vector<Seat> on_cores{{0, 0, -1}, {1, 3, -1}};
  const auto none = make_launch(Launcher::openmpi_rankfile, {&map, on_cores, {}});
  EXPECT_THAT(none.notes, Contains("no process has a GPU: CUDA_VISIBLE_DEVICES is left as it is"));
  EXPECT_THAT(text_of(none, "wrapper.sh"), HasSubstr("\n  1) device= core=3 ;;"));
  // One without a GPU beside one whose GPU is known by its UUID.
  const auto some = make_launch(Launcher::openmpi_rankfile, {&map, {{0, 0, -1}, {1, 3, 0}}, {}});
  EXPECT_THAT(some.notes, Contains("the wrapper sets CUDA_VISIBLE_DEVICES to the UUID of the process's GPU"));
  EXPECT_THAT(text_of(some, "wrapper.sh"), HasSubstr("\n  0) device= core=0 ;;"));
}

TEST(Launch, takes_names_of_devices_that_are_no_uuids_for_missing_ones) {
  auto map = two_nodes(true);
  map.nodes[1].device_uuids[1] = "host device 1";
  const auto launch = make_launch(Launcher::openmpi_rankfile, {&map, scattered, {}});
  EXPECT_THAT(text_of(launch, "wrapper.sh"), HasSubstr("\n  0) device=1 core=3 ;;"));
  EXPECT_THAT(launch.notes, Contains(HasSubstr("the map lacks UUIDs of GPUs")));
}

TEST(Launch, refuses_hosts_that_a_launcher_would_read_as_options) {
  for (const char* const name : {"-n1", ""}) {
    auto map = two_nodes(true);
    map.nodes[1].name = name;
    EXPECT_THAT(
        [&] {
          static_cast<void>(make_launch(Launcher::slurm, {&map, scattered, {}}));
        },
        ThrowsMessage<InvalidArgument>(HasSubstr("nodes[1].name is '" + std::string(name) + "'; allowed is")));
  }
}

TEST(Launchers, without_a_name_are_an_error) {
  EXPECT_THAT([] { static_cast<void>(to_string(static_cast<Launcher>(99))); },
              ThrowsMessage<InternalError>("a Launcher without a name"));
}

}  // namespace
}  // namespace halocline::mapping
