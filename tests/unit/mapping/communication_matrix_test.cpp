#include "halocline/mapping/communication_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "halocline/core/error.hpp"

namespace halocline::mapping {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

CommunicationMatrix read(const std::string& text) {
  std::istringstream in(text);
  return read_matrix(in, "a.csv");
}

TEST(CommunicationMatrix, adds_up_what_a_rank_sends_to_another) {
  CommunicationMatrix matrix(3);
  matrix.add(0, 2, 10);
  matrix.add(0, 1, 5, 2);
  matrix.add(0, 2, 7);
  EXPECT_THAT(matrix.row(0), ElementsAre(Flow{1, 5, 2}, Flow{2, 17, 2}));
  EXPECT_EQ(matrix.bytes(0, 2), 17);
  EXPECT_EQ(matrix.bytes(2, 0), 0);
  EXPECT_EQ(matrix.total_bytes(), 22);
}

TEST(CommunicationMatrix, is_the_sum_of_two) {
  CommunicationMatrix cpu(2), gpu(2);
  cpu.add(0, 1, 3);
  gpu.add(0, 1, 4);
  gpu.add(1, 1, 5);
  cpu += gpu;
  EXPECT_THAT(cpu.row(0), ElementsAre(Flow{1, 7, 2}));
  EXPECT_THAT(cpu.row(1), ElementsAre(Flow{1, 5, 1}));
  EXPECT_THAT([&] { cpu += CommunicationMatrix(3); },
              ThrowsMessage<InvalidArgument>("a matrix of 3 ranks is added to one of 2; allowed is as many"));
}

TEST(CommunicationMatrix, names_what_it_does_not_take) {
  CommunicationMatrix matrix(2);
  EXPECT_THAT([] { CommunicationMatrix(0); },
              ThrowsMessage<InvalidArgument>("a communication matrix of 0 ranks; allowed is 1 or more"));
  EXPECT_THAT([&] { matrix.add(2, 0, 1); }, ThrowsMessage<InvalidArgument>("the sender is rank 2; allowed is 0 to 1"));
  EXPECT_THAT([&] { matrix.add(0, -1, 1); },
              ThrowsMessage<InvalidArgument>("the receiver is rank -1; allowed is 0 to 1"));
  EXPECT_THAT([&] { matrix.add(0, 1, -1); },
              ThrowsMessage<InvalidArgument>("the number of bytes is -1; allowed is 0 or more"));
}

TEST(MatrixCsv, reads_what_it_wrote) {
  CommunicationMatrix matrix(5);
  matrix.add(3, 0, std::int64_t{1} << 40, 7);
  matrix.add(0, 3, 12);
  std::ostringstream out;
  write_matrix(out, matrix);
  EXPECT_EQ(out.str(), "# ranks 5\nfrom,to,bytes,messages\n0,3,12,1\n3,0,1099511627776,7\n");
  EXPECT_EQ(read(out.str()), matrix);
}

TEST(MatrixCsv, takes_as_many_ranks_as_the_largest_number_where_nothing_else_is_said) {
  const auto matrix = read("# made by hand\r\nfrom, to, bytes\r\n\r\n 1, 4, 100\r\n");
  EXPECT_EQ(matrix.ranks(), 5);
  EXPECT_THAT(matrix.row(1), ElementsAre(Flow{4, 100, 1}));
}

TEST(MatrixCsv, reads_a_table_of_all_pairs) {
  const auto matrix = read("0,8,0\n8,0,9\n0,0,1\n");
  EXPECT_EQ(matrix.ranks(), 3);
  EXPECT_THAT(matrix.row(1), ElementsAre(Flow{0, 8, 1}, Flow{2, 9, 1}));
  EXPECT_THAT(matrix.row(2), ElementsAre(Flow{2, 1, 1}));
}

TEST(MatrixCsv, names_file_line_and_value_of_what_it_does_not_take) {
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<InvalidArgument>(HasSubstr(message))) << text;
  };
  refused("", "a.csv holds no line");
  refused("from,to,bytes\n0,1\n", "a.csv, line 2: 2 values; allowed is 3: from,to,bytes");
  refused("from,to,bytes\n0,1,-5\n", "a.csv, line 2: '-5'; allowed is a whole number from 0");
  refused("from,to,bytes\n0,1,1.5\n", "a.csv, line 2: '1.5'");
  refused("# ranks 2\nfrom,to,bytes\n0,2,5\n", "a.csv, line 3: '2'; allowed is a whole number from 0 to 1");
  refused("# ranks 0\nfrom,to,bytes\n", "a.csv, line 1: 0 ranks; allowed is 1 or more");
  refused("# ranks two\nfrom,to,bytes\n", "a.csv, line 1: 'two'");
  refused("from,to,bytes\n0,1,5\n1,0,5\n0,1,6\n",
          "a.csv, line 4: the pair 0,1 is there already, in line 2; allowed is once");
  refused("0,1\n1,0\n2,2\n", "a.csv, line 1: 2 values in a file of 3 lines");
  refused("from,too,bytes\n0,1,5\n", "a.csv, line 1: 3 values in a file of 2 lines");
}

Communication read_job(const std::string& text) {
  std::istringstream in(text);
  return read_communication(in, "job.csv");
}

TEST(CommunicationCsv, reads_what_it_wrote) {
  Communication job(4);
  job.cpu.add(0, 1, 8, 2);
  job.cpu.add(0, 3, 0, 1);
  job.gpu.add(0, 2, 5);
  job.gpu.add(0, 3, 6);
  job.gpu.add(3, 3, 7);
  std::ostringstream out;
  write_communication(out, job);
  EXPECT_EQ(out.str(),
            "# ranks 4\nfrom,to,cpu_bytes,cpu_messages,gpu_bytes,gpu_messages\n0,1,8,2,0,0\n0,2,0,0,5,1\n"
            "0,3,0,1,6,1\n3,3,0,0,7,1\n");
  EXPECT_EQ(read_job(out.str()), job);
}

TEST(CommunicationCsv, may_hold_no_flow) {
  std::ostringstream out;
  write_communication(out, Communication(3));
  EXPECT_EQ(read_job(out.str()), Communication(3));
}

TEST(CommunicationCsv, names_what_it_does_not_take) {
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read_job(text); }, ThrowsMessage<InvalidArgument>(HasSubstr(message))) << text;
  };
  const std::string header = "from,to,cpu_bytes,cpu_messages,gpu_bytes,gpu_messages\n";
  refused("", "job.csv holds no line; allowed is from,to,cpu_bytes");
  refused("from,to,bytes\n0,1,2\n", "job.csv, line 1: 'from,to,bytes'; allowed is from,to,cpu_bytes");
  refused(header + "0,1,2,3\n", "job.csv, line 2: 4 values; allowed is 6");
  refused(header + "0,1,2,3,4,x\n", "job.csv, line 2: 'x'; allowed is a whole number");
  refused(header + "0,1,1,1,1,1\n0,1,1,1,1,1\n", "job.csv, line 3: the pair 0,1 is there already, in line 2");
  Communication uneven(2);
  uneven.gpu = CommunicationMatrix(3);
  std::ostringstream out;
  EXPECT_THAT([&] { write_communication(out, uneven); },
              ThrowsMessage<InvalidArgument>("the matrices have 2 and 3 ranks; allowed is as many"));
}

}  // namespace
}  // namespace halocline::mapping
