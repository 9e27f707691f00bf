#include "dsi/dataset/files/http_folder_internal.h"
#include "dsi/dataset/files/list_files_internal.h"

#include <gtest/gtest.h>

#include "dsi/dataset/files/s3_answer_internal.h"
#include "dsi/tests/dataset/dataset_folder.h"

namespace dsi::test {
namespace {

TEST(ListFiles, Ds002FoldersPatternsAndPaths) {
  DatasetFolder folder;
  for (const char* name : {"a.dsi", "b2.dsi", "b10.dsi", "day/c.dsi", "day/deep/d.dsi",
                           ".hidden.dsi", ".x.dsi.12.1.tmp", ".git/e.dsi", "day/.f/g.dsi"}) {
    folder.PutRows(name, 0, 1);
  }
  folder.PutText("notes.txt", "no");
  const std::string all = "a.dsi b10.dsi b2.dsi day/c.dsi day/deep/d.dsi";
  EXPECT_EQ(folder.Found(""), all);
  EXPECT_EQ(folder.Found("**"), all);
  EXPECT_EQ(folder.Found("**/*.dsi"), all);
  EXPECT_EQ(folder.Found("**/**/*.dsi"), all);
  EXPECT_EQ(folder.Found("day"), "day/c.dsi day/deep/d.dsi");
  EXPECT_EQ(folder.Found("b?.dsi"), "b2.dsi");
  EXPECT_EQ(folder.Found("b*.dsi"), "b10.dsi b2.dsi");
  EXPECT_EQ(folder.Found("[ab]*.dsi"), "a.dsi b10.dsi b2.dsi");
  EXPECT_EQ(folder.Found("*/*.dsi"), "day/c.dsi");
  EXPECT_EQ(folder.Found("*/**/*.dsi"), "day/c.dsi day/deep/d.dsi");
  EXPECT_EQ(folder.Found("**/deep/*"), "day/deep/d.dsi");
  EXPECT_EQ(folder.Found(".hid*"), ".hidden.dsi");
  EXPECT_EQ(folder.Found("a.dsi"), "a.dsi");
}

TEST(ListFiles, AFileMayBeCalledAsAPattern) {
  DatasetFolder folder;
  folder.PutRows("a[1].dsi", 0, 1);
  folder.PutRows("a1.dsi", 0, 1);
  EXPECT_EQ(folder.Found("a[1].dsi"), "a[1].dsi");
  EXPECT_EQ(folder.Found("a[1]*.dsi"), "a1.dsi");
}

TEST(ListFiles, WhatIsNotThere) {
  DatasetFolder folder;
  folder.PutText("notes.txt", "no");
  for (const char* where : {"", "*.dsi", "**", "none/*.dsi", "none.dsi", "[]"}) {
    const auto dataset = Dataset::Open(folder.File(where));
    ASSERT_FALSE(dataset.ok());
    EXPECT_EQ(dataset.status().code(), StatusCode::kNotFound) << dataset.status().ToString();
    EXPECT_NE(dataset.status().message().find(folder.path()), std::string::npos);
  }
  EXPECT_EQ(Dataset::Open(folder.File("notes.txt")).status().code(), StatusCode::kNotDsi);
  EXPECT_EQ(Dataset::Open("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Dataset::Open(std::vector<std::string>{}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(ListFiles, Ds001SeveralNamesStandOneBehindTheOther) {
  DatasetFolder folder;
  for (const char* name : {"x/a.dsi", "x/b.dsi", "c.dsi"}) folder.PutRows(name, 0, 1);
  const auto dataset =
      Dataset::Open(std::vector<std::string>{folder.File("x"), folder.File("c.dsi")});
  ASSERT_TRUE(dataset.ok()) << dataset.status().ToString();
  EXPECT_EQ(folder.NamesOf(**dataset), "x/a.dsi x/b.dsi c.dsi");
  const auto twice =
      Dataset::Open(std::vector<std::string>{folder.File("x"), folder.File("x/b.dsi")});
  EXPECT_EQ(twice.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(twice.status().message().find("x/b.dsi: the file is named twice"), std::string::npos);
}

TEST(ListFiles, Ds001OneFileUnderTwoSpellingsIsNamedTwice) {
  DatasetFolder folder;
  folder.PutRows("fold/o3.dsi", 0, 1);
  folder.PutRows("fold/o4.dsi", 1, 1);
  const std::string here = std::filesystem::current_path().string();
  const std::string relative = std::filesystem::relative(folder.File("fold/o3.dsi"), here).string();
  const auto open = [&](const std::string& a, const std::string& b) {
    return Dataset::Open(std::vector<std::string>{a, b});
  };
  const std::string path = folder.File("fold/o3.dsi");
  for (const std::string& other : {folder.File("fold//o3.dsi"), folder.File("./fold/o3.dsi"),
                                   folder.File("fold/../fold/o3.dsi"), relative, "./" + relative}) {
    for (const auto& twice : {open(other, path), open(path, other)}) {
      EXPECT_EQ(twice.status().code(), StatusCode::kInvalidArgument) << other;
      EXPECT_NE(twice.status().message().find("the file is named twice"), std::string::npos);
    }
  }
  const std::string fourth = folder.File("fold//o4.dsi");
  EXPECT_EQ((*open(fourth, path))->num_rows(), 2U);
  EXPECT_EQ((*open(fourth, path))->files()[0].path, fourth) << "names stay as they are given";
}

TEST(ListFiles, LinksInCirclesAreNotFollowed) {
  DatasetFolder folder;
  folder.PutRows("a/b.dsi", 0, 1);
  std::filesystem::create_directory_symlink(folder.path(), folder.File("a/up"));
  std::filesystem::create_symlink(folder.File("a/b.dsi"), folder.File("link.dsi"));
  EXPECT_EQ(folder.Found(""), "a/b.dsi link.dsi");
  EXPECT_EQ(folder.Found("**/*.dsi"), "a/b.dsi link.dsi");
}

TEST(ListFiles, PatternsOverKeys) {
  EXPECT_TRUE(internal::MatchesPath("a/*.dsi", "a/b.dsi"));
  EXPECT_FALSE(internal::MatchesPath("a/*.dsi", "a/b/c.dsi"));
  EXPECT_TRUE(internal::MatchesPath("a/**/c.dsi", "a/c.dsi"));
  EXPECT_TRUE(internal::MatchesPath("a/**/c.dsi", "a/b/d/c.dsi"));
  EXPECT_FALSE(internal::MatchesPath("a/**/c.dsi", "a/.b/c.dsi"));
  EXPECT_FALSE(internal::MatchesPath("a/*", "a/.b"));
  EXPECT_TRUE(internal::MatchesPath("**", "a/b"));
  EXPECT_TRUE(internal::MatchesPath("d=2[0-3]/x?", "d=21/xy"));
}

std::string List(const std::string& inside) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://x\">" +
         inside + "</ListBucketResult>\n";
}
constexpr const char* kEnd = "<IsTruncated>false</IsTruncated>";

TEST(S3Answer, KeysAndWhatFollows) {
  const auto answer = internal::ParseS3Answer(
      List("<Name>b</Name><Prefix/><Contents><Key>a/&amp;&lt;&gt;&quot;&apos;&#x65e5;&#65;</Key>"
           "<Owner><ID>x</ID><Key>no</Key></Owner></Contents>\n<Contents><Size>1</Size><Key>b</Key>"
           "</Contents><IsTruncated>true</IsTruncated>"
           "<NextContinuationToken>t+/=</NextContinuationToken>"));
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_EQ(answer->keys, (std::vector<std::string>{"a/&<>\"'\xe6\x97\xa5"
                                                    "A",
                                                    "b"}));
  EXPECT_EQ(answer->next, "t+/=");
  EXPECT_TRUE(internal::ParseS3Answer(List(kEnd))->keys.empty());
}

TEST(S3Answer, WhatIsNoListIsRefused) {
  const std::string deep = std::string(20, ' ');
  for (const std::string& xml :
       {std::string(), std::string("<"), std::string("<html><body></body></html>"),
        std::string("<Error><Code>AccessDenied</Code></Error>"),
        List("<Contents><Key>a</Contents>"), List("<Contents><Key>&nbsp;</Key></Contents>"),
        List("<Contents><Key>&#0;</Key></Contents>"),
        List("<Contents><Key>&#xD800;</Key></Contents>"),
        List("<Contents><Key>&amp</Key></Contents>"), List("<!-- x -->"), List("<![CDATA[x]]>"),
        "<!DOCTYPE x>" + List(kEnd), List(kEnd) + List(kEnd), List(kEnd) + "x", "x" + List(kEnd),
        List("<IsTruncated>true</IsTruncated>"),
        List("<NextContinuationToken>x</NextContinuationToken>"),
        List("<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>")}) {
    const auto answer = internal::ParseS3Answer(xml);
    ASSERT_FALSE(answer.ok()) << xml;
    EXPECT_EQ(answer.status().code(), StatusCode::kIo);
  }
}

TEST(HttpFolder, NamesOfOneFolder) {
  const auto folder = internal::ParseHttpFolder(
      R"([{"name": "a b.dsi", "type": "file", "size": 7}, {"name": "d", "type": "directory"},
          {"name": ".hidden.dsi", "type": "file"}, {"name": "..", "type": "directory"},
          {"name": "x", "type": "other"}])");
  ASSERT_TRUE(folder.ok()) << folder.status().ToString();
  EXPECT_EQ(folder->files, (std::vector<std::string>{"a b.dsi"}));
  EXPECT_EQ(folder->folders, (std::vector<std::string>{"d"}));
  EXPECT_EQ(folder->num_entries, 5U);
  EXPECT_EQ(internal::ParseHttpFolder("[]")->num_entries, 0U);
}

TEST(HttpFolder, WhatIsNoListIsRefused) {
  for (const char* const json :
       {"", "<html></html>", "{}", "[1]", R"([{"name": "a"}])", R"([{"name": 1, "type": "file"}])",
        R"([{"name": "", "type": "file"}])", R"([{"name": "../a.dsi", "type": "file"}])",
        R"([{"name": "a/b.dsi", "type": "file"}])"}) {
    const auto folder = internal::ParseHttpFolder(json);
    ASSERT_FALSE(folder.ok()) << json;
    EXPECT_EQ(folder.status().code(), StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace dsi::test
