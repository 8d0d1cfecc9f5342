# Timers, immediates, ticks and microtasks, under stress.
sh support/stress.sh 1 engine/gc_timers.mjs
