# Promises, their combinators and async generators, under stress.
sh support/stress.sh 1 engine/promise_constructor.mjs engine/promise_combinators.mjs
sh support/stress.sh 7 engine/async_generators.mjs engine/await_order.mjs
