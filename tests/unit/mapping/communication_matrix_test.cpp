// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/communication_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <streambuf>

#include "core/limits.hpp"
#include "halocline/error.hpp"

namespace halocline::mapping {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Throws;
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
              ThrowsMessage<InvalidArgument>("a communication matrix of 0 ranks; allowed is 1 to 1000000"));
  EXPECT_THAT([] { CommunicationMatrix(1'000'001); },
              ThrowsMessage<InvalidArgument>("a communication matrix of 1000001 ranks; allowed is 1 to 1000000"));
  EXPECT_THAT([&] { matrix.add(2, 0, 1); }, ThrowsMessage<InvalidArgument>("the sender is rank 2; allowed is 0 to 1"));
  EXPECT_THAT([&] { matrix.add(0, -1, 1); },
              ThrowsMessage<InvalidArgument>("the receiver is rank -1; allowed is 0 to 1"));
  EXPECT_THAT([&] { matrix.add(0, 1, -1); },
              ThrowsMessage<InvalidArgument>("the number of bytes is -1; allowed is 0 or more"));
}

TEST(CommunicationMatrix, keeps_sums_below_their_limit) {
  CommunicationMatrix matrix(2);
  matrix.add(0, 1, limits::matrix_sum - 1, limits::matrix_sum - 1);
  matrix.add(1, 0, 1, 1);
  EXPECT_EQ(matrix.total_bytes(), limits::matrix_sum);
  const CommunicationMatrix before = matrix;
  EXPECT_THAT(
      [&] { matrix.add(1, 1, 1, 0); },
      ThrowsMessage<InvalidArgument>("the number of bytes is 1, beside 100000000000000000 of the matrix's other "
                                     "flows; allowed is at most 100000000000000000 in all"));
  EXPECT_THAT([&] { matrix.add(1, 1, 0, 1); },
              ThrowsMessage<InvalidArgument>(HasSubstr("the number of messages is 1")));
  EXPECT_THAT([&] { matrix += before; }, ThrowsMessage<InvalidArgument>(HasSubstr("the number of bytes is")));
  EXPECT_EQ(matrix, before);
}

TEST(MatrixCsv, reads_what_it_wrote) {
  CommunicationMatrix matrix(5);
  matrix.add(3, 0, std::int64_t{1} << 40, 7);
  matrix.add(0, 3, 12);
  std::ostringstream out;
  write_matrix(out, matrix);
  EXPECT_EQ(out.str(), "# ranks 5\nfrom,to,bytes,messages\n0,3,12,1\n3,0,1099511627776,7\n# end\n");
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
  refused(std::string("from,to,bytes\n0,\0,5\n", 20), "a.csv, line 2: '\\x00'; allowed is a whole number from 0");
}

TEST(MatrixCsv, of_few_bytes_does_not_take_gigabytes) {
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<InvalidArgument>(HasSubstr(message))) << text;
  };
  refused("from,to,bytes\n0,2147483645,5\n", "a.csv, line 2: '2147483645'; allowed is a whole number from 0 to 999999");
  refused("from,to,bytes\n0,100000000,5\n", "a.csv, line 2: '100000000'; allowed is a whole number from 0 to 999999");
  refused("# ranks 1000000000\nfrom,to,bytes\n",
          "a.csv, line 1: '1000000000'; allowed is a whole number from 0 to 1000000");
}

TEST(MatrixCsv, names_the_line_whose_number_makes_the_sum_too_large) {
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<InvalidArgument>(HasSubstr(message))) << text;
  };
  const std::string half = "60000000000000000";
  refused("0," + half + "\n" + half + ",0\n", "a.csv, line 2: the number of bytes is 60000000000000000, beside");
  refused("from,to,bytes\n0,1," + half + "\n0,2," + half + "\n", "a.csv, line 3: the number of bytes");
  refused("from,to,bytes\n0,1,2305843009213693951\n",
          "a.csv, line 2: '2305843009213693951'; allowed is a whole number from 0 to 100000000000000000");
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
            "0,3,0,1,6,1\n3,3,0,0,7,1\n# end\n");
  EXPECT_EQ(read_job(out.str()), job);
}

TEST(CommunicationCsv, may_hold_no_flow) {
  std::ostringstream out;
  write_communication(out, Communication(3));
  EXPECT_EQ(read_job(out.str()), Communication(3));
}

TEST(CommunicationCsv, cut_anywhere_is_refused) {
  Communication job(16);
  job.cpu.add(0, 12, 345, 67);
  job.gpu.add(15, 10, 890, 12);
  std::ostringstream out;
  write_communication(out, job);
  const std::string whole = out.str();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT([&] { read_job(whole.substr(0, length)); }, Throws<InvalidArgument>()) << length;
  }
  EXPECT_THAT([&] { read_job(whole + "1,2,3,4,5,6\n"); },
              ThrowsMessage<InvalidArgument>(HasSubstr("job.csv is cut off")));
  EXPECT_EQ(read_job(whole + "\n \r\n"), job) << "empty lines do not count";
}

TEST(CommunicationCsv, names_what_it_does_not_take) {
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { read_job(text); }, ThrowsMessage<InvalidArgument>(HasSubstr(message))) << text;
  };
  const std::string header = "from,to,cpu_bytes,cpu_messages,gpu_bytes,gpu_messages\n";
  refused("", "job.csv holds no line; allowed is from,to,cpu_bytes");
  refused("from,to,bytes\n0,1,2\n", "job.csv, line 1: 'from,to,bytes'; allowed is from,to,cpu_bytes");
  refused(header + "0,1,2,3\n# end\n", "job.csv, line 2: 4 values; allowed is 6");
  refused(header + "0,1,2,3,4,x\n# end\n", "job.csv, line 2: 'x'; allowed is a whole number");
  refused(header + "0,1,1,1,1,1\n0,1,1,1,1,1\n# end\n", "job.csv, line 3: the pair 0,1 is there already, in line 2");
  Communication uneven(2);
  uneven.gpu = CommunicationMatrix(3);
  std::ostringstream out;
  EXPECT_THAT([&] { write_communication(out, uneven); },
              ThrowsMessage<InvalidArgument>("the matrices have 2 and 3 ranks; allowed is as many"));
}

/// Equal, until one number differs.
TEST(CommunicationMatrix, equals_another_only_if_all_flows_do) {
  const Flow flow{1, 2, 3};
  EXPECT_FALSE(flow == (Flow{0, 2, 3}));
  EXPECT_FALSE(flow == (Flow{1, 0, 3}));
  EXPECT_FALSE(flow == (Flow{1, 2, 0}));
  Communication job(2);
  job.gpu.add(0, 1, 2, 3);
  Communication other = job;
  EXPECT_EQ(other, job);
  other.gpu.add(1, 0, 0, 0);
  EXPECT_FALSE(other == job) << "a flow of nothing";
  other = job;
  other.cpu.add(0, 1, 1);
  EXPECT_FALSE(other == job);
  EXPECT_FALSE(CommunicationMatrix(2) == CommunicationMatrix(3));
}

/// A file whose disk fails after the first line.
class FailingFile final : public std::streambuf {
 protected:
  int_type underflow() override {
    if (read_) throw std::runtime_error("input/output error");
    read_ = true;
    setg(line_, line_, line_ + sizeof line_ - 1);
    return traits_type::to_int_type(*gptr());
  }

 private:
  bool read_ = false;
  char line_[15] = "from,to,bytes\n";
};

TEST(MatrixCsv, that_ends_in_an_error_is_not_taken_for_a_shorter_one) {
  FailingFile file;
  std::istream in(&file);
  EXPECT_THAT([&] { static_cast<void>(read_matrix(in, "a.csv")); },
              ThrowsMessage<InvalidArgument>("a.csv cannot be read"));
}

TEST(MatrixCsv, of_all_pairs_has_as_many_lines_as_there_may_be_ranks) {
  std::string lines;
  for (std::int64_t line = 0; line <= limits::ranks; ++line) lines += "0\n";
  EXPECT_THAT([&] { read(lines); },
              ThrowsMessage<InvalidArgument>("a.csv, line 1000001: 1000001 lines; allowed is at most 1000000"));
}

}  // namespace
}  // namespace halocline::mapping
