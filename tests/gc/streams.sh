# Streams and events, under stress.
sh support/stress.sh 1 stream/node_events.js events/event_target.js events/async_context.js
sh support/stress.sh 3 stream/operators.js stream/web_streams.js
