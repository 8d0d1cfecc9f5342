# expected: written by hand. An addon that opens files by itself sees packages that are in archives: they are put on the disk when it asks. As it
# does under Node with packages that are files.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
command -v cc > /dev/null || { echo "no C compiler" >&2; exit 77; }
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"lib/index.js","dependencies":{"b":"1.0.0"},"files":{"lib/index.js":"exports.b = require('b');\n","lib/text.txt":"text of a\n"}}},
 "b":{"1.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b';\n"}}},
 "c":{"1.0.0":{"main":"c.js","files":{"c.js":"module.exports = 'c';\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export NO_COLOR=1
mkdir "$T/app"; cd "$T/app" || exit 1
printf '[install]\nlinker = "store"\n' > bunfig.toml
echo '{"dependencies":{"a":"1.0.0","c":"1.0.0"}}' > package.json
"$BAO" install > "$T/out" 2>&1 || cat "$T/out"
cat > reader.c <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "napi.h"

// What the C library says of a path.
static napi_value look(napi_env env, napi_callback_info info) {
  char path[PATH_MAX], text[64] = "", target[PATH_MAX] = "", real[PATH_MAX] = "-", out[3 * PATH_MAX];
  size_t count = 1;
  napi_value argument, result;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  napi_get_value_string_utf8(env, argument, path, sizeof path, &count);
  int file = open(path, O_RDONLY);
  if (file >= 0 && read(file, text, sizeof text - 1) < 0) strcpy(text, "directory");
  if (file >= 0) close(file);
  FILE *stream = fopen(path, "r");
  struct stat status, own;
  struct statx extended;
  int is_there = stat(path, &status), is_known = lstat(path, &own), is_found = statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_SIZE | STATX_MODE, &extended);
  ssize_t length = readlink(path, target, sizeof target - 1);
  if (!realpath(path, real)) strcpy(real, "-");
  text[strcspn(text, "\n")] = 0;
  int names = 0;
  DIR *dir = opendir(path);
  while (dir && readdir(dir)) names++;
  snprintf(out, sizeof out, "open %s fopen %d stat %d%c lstat %c statx %c readlink %s real %s names %d access %d", text, stream != NULL, is_there,
    is_there ? '-' : S_ISDIR(status.st_mode) ? 'd' : 'f', is_known ? '-' : S_ISLNK(own.st_mode) ? 'l' : 'f', is_found ? '-' : S_ISLNK(extended.stx_mode) ? 'l' : 'f',
    length < 0 ? "-" : target, real, names, access(path, R_OK));
  if (stream) fclose(stream);
  if (dir) closedir(dir);
  napi_create_string_utf8(env, out, (size_t)-1, &result);
  return result;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function;
  napi_create_function(env, "look", (size_t)-1, look, NULL, &function);
  return function;
}
C
cc -shared -fPIC -O1 -Wl,-z,now,-z,relro -I "$HERE/../napi/support" -o reader.node reader.c || exit 77
cat > main.cjs <<'JS'
require("a");
const look = require("./reader.node");
for (const path of ["a/lib/text.txt", "a", ".bun/b@1.0.0/node_modules/b/b.js", "a/none", "none"]) console.log(path, look(`node_modules/${path}`).replaceAll(process.cwd(), "APP"));
console.log(look("main.cjs").slice(0, 17));
JS
"$BAO" main.cjs 2>&1
echo "== on the disk are only those"; find node_modules -name '*.js' | sort; sort node_modules/.bao-writes
echo "== installed"; "$BAO" install > "$T/out" 2>&1 || cat "$T/out"; "$BAO" main.cjs 2>&1 | head -n 1
