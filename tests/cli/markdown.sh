# A document as a program: what it prints with and without colours, in the columns that there are. Recorded from Bun 1.4.5.
. support/lib.sh
file doc.md <<'MD'
# A *title*

see [a page](https://example.com) and ![a picture](a.png)

- one
  - two
- [x] done

> quoted

| a | b |
|---|--:|
| 1 | 2 |

```js
let a = 1;
```
MD
cp doc.md doc.markdown
bao doc.md
bao run ./doc.markdown argument | head -n 2
env -u NO_COLOR FORCE_COLOR=1 TERM=xterm-256color "$BAO" doc.md | sed 's/\x1b/ESC/g'
printf '%s\n' 'a line of words that has to be broken where the columns end' >long.md
COLUMNS=20 "$BAO" long.md
