#include "dsi/io/uri_internal.h"

#include <gtest/gtest.h>

#include "dsi/io/file.h"
#include "dsi/io/open.h"
#include "dsi/io/remote_target_internal.h"
#include "dsi/tests/io/file_bytes.h"
#include "dsi/tests/support/temp_folder.h"

namespace dsi::internal {
namespace {

TEST(UriTest, Schemes) {
  EXPECT_EQ(SchemeOf("HTTPS://host/x"), "https");
  EXPECT_EQ(SchemeOf("a+b-c.1://"), "a+b-c.1");
  for (const char* path : {"", "a.dsi", "/a/b", "a:b", "c:/x", "://x", "1a://x", "a b://x",
                           "./a://x", "http:/x", "http//x", "ü://x"}) {
    EXPECT_EQ(SchemeOf(path), "") << path;
  }
}

TEST(UriTest, SecretsAreNotShown) {
  EXPECT_EQ(WithoutSecrets("https://me:pass@host:8/a/b.dsi?sig=x#f"), "https://host:8/a/b.dsi?…");
  EXPECT_EQ(WithoutSecrets("https://me:p@ss@host"), "https://host");
  EXPECT_EQ(WithoutSecrets("https://host/a@b#c@d"), "https://host/a@b");
  EXPECT_EQ(WithoutSecrets("https://host?a@b/c"), "https://host?…");
  EXPECT_EQ(ShownName("a@b?c"), "a@b?c");
}

TEST(UriTest, Escapes) {
  EXPECT_EQ(EscapeUrl("http://h/a b%20+ü?x=1&y=\"\n"), "http://h/a%20b%20+%C3%BC?x=1&y=%22%0A");
  EXPECT_EQ(EscapeKey("a b/c+d%20~-_.é?#&=:@"), "a%20b/c%2Bd%2520~-_.%C3%A9%3F%23%26%3D%3A%40");
}

TEST(UriTest, FoldersOfPaths) {
  EXPECT_EQ(FolderOf("a.dsi"), ".");
  EXPECT_EQ(FolderOf("/a.dsi"), "/");
  EXPECT_EQ(FolderOf("x/y/a.dsi"), "x/y");
}

TEST(UriTest, FileUrls) {
  EXPECT_EQ(*PathOfFileUrl("file:///a/b%20c%C3%BC"), "/a/b c\xC3\xBC");
  EXPECT_EQ(*PathOfFileUrl("file://localhost/a"), "/a");
  for (const char* url : {"file://", "file://host/a", "file:///a%", "file:///a%2", "file:///%zz"})
    EXPECT_EQ(PathOfFileUrl(url).status().code(), StatusCode::kInvalidArgument) << url;
}

TEST(UriTest, OpensByScheme) {
  const test::TempFolder folder;
  test::WriteWhole(folder.File("a b"), "123");
  EXPECT_EQ((*OpenUri(folder.File("a b")))->size(), 3u);
  EXPECT_EQ((*OpenUri("file://" + EscapeKey(folder.File("a b"))))->size(), 3u);
  const auto gs = OpenUri("gs://me@bucket/key?x");
  EXPECT_EQ(gs.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(gs.status().message().find("s3://, not from gs://"), std::string::npos);
  EXPECT_EQ(gs.status().message().find("me@"), std::string::npos);
  for (const char* url : {"http://", "https://[::1", "http://a b/x:y@"})
    EXPECT_EQ(OpenUri(url).status().code(), StatusCode::kInvalidArgument) << url;
  EXPECT_EQ(OpenUri(std::string("http://h/\0x", 11)).status().code(), StatusCode::kInvalidArgument);
}

TEST(UriTest, OptionsWithoutMeaningAreRefused) {
  const auto code = [](const RemoteOptions& remote) {
    return OpenUri("http://127.0.0.1:1/", {.local = {}, .remote = remote, .s3 = {}})
        .status()
        .code();
  };
  RemoteOptions options;
  options.connections = 0;
  EXPECT_EQ(code(options), StatusCode::kInvalidArgument);
  options = {};
  options.max_tries = 0;
  EXPECT_EQ(code(options), StatusCode::kInvalidArgument);
  options = {};
  options.deadline_s = -1;
  EXPECT_EQ(code(options), StatusCode::kInvalidArgument);
  options = {};
  options.headers = {"no colon"};
  EXPECT_EQ(code(options), StatusCode::kInvalidArgument);
}

TEST(UriTest, FilesAreNotWrittenToUrls) {
  for (const char* url : {"s3://bucket/x.dsi", "https://me:hidden@host/x.dsi", "file:///x.dsi"}) {
    const auto file = CreateLocalFile(url, {});
    EXPECT_EQ(file.status().code(), StatusCode::kInvalidArgument) << url;
    EXPECT_NE(file.status().message().find("local paths only"), std::string::npos);
    EXPECT_EQ(file.status().message().find("hidden"), std::string::npos);
  }
}

TEST(UriTest, PlacesOfBuckets) {
  S3Object object;
  object.bucket = "bucket";
  object.key = "a b";
  EXPECT_EQ(object.Url("eu-west-1"), "https://bucket.s3.eu-west-1.amazonaws.com/a%20b");
  EXPECT_EQ(object.Url("cn-north-1"), "https://bucket.s3.cn-north-1.amazonaws.com.cn/a%20b");
  object.bucket = "a.b";
  EXPECT_EQ(object.Url("eu-west-1"), "https://s3.eu-west-1.amazonaws.com/a.b/a%20b");
  object.endpoint = "http://127.0.0.1:9000";
  EXPECT_EQ(object.Url("eu-west-1"), "http://127.0.0.1:9000/a.b/a%20b");
}

TEST(UriTest, WhoMaySeeSecrets) {
  EXPECT_TRUE(IsSameServer("https://Host/a", "https://host:443/b?c"));
  EXPECT_FALSE(IsSameServer("https://host/a", "http://host/a"));
  EXPECT_FALSE(IsSameServer("https://host/a", "https://host:444/a"));
  EXPECT_FALSE(IsSameServer("https://host/a", "https://a@other/host"));
  EXPECT_TRUE(IsAwsServer("https://b.s3.x.amazonaws.com/a"));
  EXPECT_FALSE(IsAwsServer("http://b.s3.x.amazonaws.com/a"));
  EXPECT_FALSE(IsAwsServer("https://amazonaws.com.evil.org/.amazonaws.com"));
  EXPECT_FALSE(IsAwsServer("https://xamazonaws.com/"));
  EXPECT_TRUE(IsDowngrade("https://a/", "http://a/"));
  EXPECT_TRUE(IsDowngrade("http://a/", "file:///a"));
  EXPECT_FALSE(IsDowngrade("http://a/", "https://a/"));
}

}  // namespace
}  // namespace dsi::internal
