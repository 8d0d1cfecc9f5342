# Reports of errors, under stress.
sh support/stress.sh 1 runtime/syntax.sh runtime/rejection.sh runtime/dynamic_import.sh runtime/timer_throw.sh runtime/missing_file.sh
