# Programs of the file system, the system and globs, under stress.
sh support/stress.sh 1 fs/sync.js
sh support/stress.sh 3 fs/async.js
sh support/stress.sh 1 os/os.js
sh support/stress.sh 2 path/globs.js
