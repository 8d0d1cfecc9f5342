# Reports of errors, under stress.
sh support/stress.sh 1 errors/syntax.sh errors/rejection.sh errors/dynamic_import.sh errors/timer_throw.sh errors/missing_file.sh
