// VerifyFiles: what is found of each file, whatever the others are.
#include "dsi/dataset/verify_files.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dsi/dataset/dataset.h"
#include "dsi/dataset/table.h"
#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {
namespace {

class VerifyFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a.dsi", "b.dsi", "c.dsi", "d.dsi"})
      Put(name, SmallFile(SmallSchema(), name[0] * 1000, 400, 100));
  }

  std::string Path(const std::string& name) const { return folder_.File(name); }

  void Put(const std::string& name, const std::vector<std::byte>& bytes) const {
    std::ofstream(Path(name), std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

  // In its pages.
  void Damage(const std::string& name) const {
    std::fstream file(Path(name), std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(300);
    const char was = static_cast<char>(file.get());
    file.seekp(300);
    file.put(static_cast<char>(was ^ 0x40));
  }

  static FilesVerdict Verify(const std::vector<std::string>& where,
                             const VerifyFilesOptions& options = {}) {
    auto verdict = VerifyFiles(where, options);
    EXPECT_TRUE(verdict.ok()) << verdict.status().ToString();
    return verdict.ok() ? *std::move(verdict) : FilesVerdict();
  }

  std::string Manifest() const {
    const auto dataset = Dataset::Open(folder_.path());
    EXPECT_TRUE(dataset.ok()) << dataset.status().ToString();
    std::string path = Path("all.json");
    std::ofstream(path) << *(*dataset)->Manifest(folder_.path());
    return path;
  }

  static std::vector<FileState> StatesOf(const FilesVerdict& verdict) {
    std::vector<FileState> states;
    for (const FileVerdict& file : verdict.files) states.push_back(file.state());
    return states;
  }

  TempFolder folder_;
};

using enum FileState;

TEST_F(VerifyFilesTest, EachFileHasItsVerdict) {
  EXPECT_EQ(StatesOf(Verify({folder_.path()})), std::vector(4, kSound));
  Damage("b.dsi");
  std::filesystem::resize_file(Path("c.dsi"), 500);
  const FilesVerdict verdict = Verify({folder_.path(), Path("gone.dsi")});
  ASSERT_EQ(StatesOf(verdict), (std::vector{kSound, kDamaged, kDamaged, kSound, kUnreadable}));
  EXPECT_EQ(verdict.files[0].num_rows, 400U);
  EXPECT_EQ(verdict.files[0].bytes, std::filesystem::file_size(Path("a.dsi")));
  EXPECT_FALSE(verdict.files[1].damage[0].where.empty());
  EXPECT_EQ(verdict.files[2].damage[0].status.code(), StatusCode::kTruncated);
  EXPECT_EQ(verdict.files[4].failure.code(), StatusCode::kNotFound);
  EXPECT_TRUE(verdict.together.ok());
}

TEST_F(VerifyFilesTest, AManifestSaysWhichFilesTheyAre) {
  const std::string manifest = Manifest();
  EXPECT_EQ(StatesOf(Verify({manifest})), std::vector(4, kSound));
  // Sound, and not the files that they were.
  Put("a.dsi", SmallFile(SmallSchema(), 7, 400, 100));
  Put("b.dsi", SmallFile(SmallSchema(), 7, 300, 100));
  std::filesystem::remove(Path("d.dsi"));
  EXPECT_EQ(StatesOf(Verify({folder_.path()})), std::vector(3, kSound));
  const FilesVerdict verdict = Verify({manifest});
  ASSERT_EQ(StatesOf(verdict), (std::vector{kDamaged, kDamaged, kSound, kUnreadable}));
  std::string found;
  for (const auto& damage : verdict.files[0].damage) found += damage.status.message() + "\n";
  EXPECT_NE(found.find("fingerprint"), std::string::npos) << found;
  EXPECT_EQ(found.find("rows"), std::string::npos) << found;
  EXPECT_NE(verdict.files[1].damage.back().status.message().find("rows 300, the manifest says 400"),
            std::string::npos);
}

TEST_F(VerifyFilesTest, ATableIsItsNewestSnapshot) {
  const std::string where = Path("table");
  auto table = Table::Create(where);
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  std::vector<std::string> messages;
  for (const char* task : {"a", "b"}) {
    const auto message = (*table)->StageCopy("job", task, Path(std::string(task) + ".dsi"));
    ASSERT_TRUE(message.ok()) << message.status().ToString();
    messages.push_back(*message);
  }
  ASSERT_TRUE((*table)->Commit("job", messages).ok());
  const FilesVerdict verdict = Verify({where});
  EXPECT_EQ(StatesOf(verdict), std::vector(2, kSound));
  Put("z.dsi", SmallFile(SmallSchema(), 9, 10));
  std::filesystem::copy_file(Path("z.dsi"), verdict.files[1].path,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(StatesOf(Verify({where})), (std::vector{kSound, kDamaged}));
}

TEST_F(VerifyFilesTest, FilesAreToldInTheirOrder) {
  // It takes longer than those behind it.
  Put("a.dsi", SmallFile(SmallSchema(), 0, 60'000, 100));
  Damage("c.dsi");
  for (const uint32_t threads : {1U, 3U, 0U}) {
    std::vector<std::string> told;
    uint64_t files_done = 0;
    uint64_t bytes_done = 0;
    VerifyFilesOptions options{.threads = threads};
    options.on_file = [&](const FileVerdict& file) {
      told.push_back(file.path);
      return Status::Ok();
    };
    options.progress = [&](const VerifyFilesProgress& now) {
      EXPECT_EQ(now.files_total, 4U);
      EXPECT_GE(now.files_done, files_done);
      EXPECT_GE(now.bytes_done, bytes_done);
      EXPECT_LE(now.bytes_done, now.bytes_total);
      files_done = now.files_done;
      bytes_done = now.bytes_done;
      return true;
    };
    const FilesVerdict verdict = Verify({folder_.path()}, options);
    EXPECT_EQ(StatesOf(verdict), (std::vector{kSound, kSound, kDamaged, kSound}));
    std::vector<std::string> paths;
    for (const FileVerdict& file : verdict.files) paths.push_back(file.path);
    EXPECT_EQ(told, paths);
    EXPECT_EQ(files_done, 4U);
    EXPECT_GT(bytes_done, 0U);
  }
}

TEST_F(VerifyFilesTest, CallbacksEndIt) {
  VerifyFilesOptions options;
  options.progress = [](const VerifyFilesProgress& now) { return now.files_done == 0; };
  const std::vector<std::string> where = {folder_.path()};
  EXPECT_EQ(VerifyFiles(where, options).status().code(), StatusCode::kCancelled);
  options.progress = [](const VerifyFilesProgress&) { return false; };
  EXPECT_EQ(VerifyFiles(where, options).status().code(), StatusCode::kCancelled);
  options.progress = {};
  std::atomic<int> told = 0;
  options.on_file = [&](const FileVerdict&) {
    return ++told == 2 ? Status(StatusCode::kIo, "full") : Status::Ok();
  };
  EXPECT_EQ(VerifyFiles(where, options).status().code(), StatusCode::kIo);
  EXPECT_EQ(told, 2);
}

TEST_F(VerifyFilesTest, NamesThatAreNone) {
  const auto code = [](const std::vector<std::string>& where) {
    return VerifyFiles(where).status().code();
  };
  EXPECT_EQ(code({Path("*.txt")}), StatusCode::kNotFound);
  EXPECT_EQ(code({""}), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({}), StatusCode::kInvalidArgument);
  std::ofstream(Path("bad.json")) << "{}";
  EXPECT_EQ(code({Path("bad.json")}), StatusCode::kBadInput);
}

}  // namespace
}  // namespace dsi::test
