# Streams and events, under stress.
sh support/stress.sh 1 streams/node_events.js events/event_target.js events/async_context.js
sh support/stress.sh 3 streams/operators.js streams/web_streams.js
