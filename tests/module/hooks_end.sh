# The program ends with its thread of hooks, whether it waits for an answer or not. (Node waits for ever for one that really ends.)
begin="import { register } from 'node:module'; register('./support/hooks/ending_hooks.mjs', 'file://$PWD/');"
for word in end reallyEnd; do
  "$BAO" --input-type=module -e "$begin import.meta.resolve('$word'); console.log('not reached');"
  echo "$word: $?"
  "$BAO" --input-type=module -e "$begin setTimeout(() => console.log('not reached'), 9000); await import('$word');"
  echo "import $word: $?"
done
