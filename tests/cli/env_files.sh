# .env files: which are read, which wins, their syntax. Recorded from Bun 1.4.5.
. support/lib.sh
file show.js <<'JS'
const own = new Set(process.argv.slice(2));
for (const key of Object.keys(process.env).sort()) if (own.has(key) || /^(X|Y|FROM_.*)$/.test(key)) console.log(key, JSON.stringify(process.env[key]));
JS
for name in .env .env.local .env.development .env.development.local .env.production .env.production.local .env.test \
  .env.test.local; do
  printf 'X=%s\nFROM_%s=$X\n' "$name" "$(echo "$name" | tr -c 'a-z\n' _)" >"$name"
done
printf 'FROM_ONE=$X\nX=one\nY=1\n' >one
printf 'X=two\nY=2\nFROM_TWO=$Y\n' >two
bao show.js
NODE_ENV=production bao show.js
NODE_ENV=test bao show.js
NODE_ENV=staging bao show.js
BUN_ENV=production NODE_ENV=test bao show.js
X=outer bao show.js
X= bao show.js
bao --env-file=one show.js
bao --env-file=one --env-file two show.js
bao --env-file=one,two show.js
bao --env-file= show.js
bao --env-file=missing show.js
bao --no-env-file show.js
bao --no-env-file --env-file=one show.js
ln -s "$BAO" node
echo "--- node"
./node show.js
./node --env-file=one show.js
./node --env-file=missing show.js 2>&1 || echo "exit code $?"
./node --env-file-if-exists=missing show.js
rm .env.*
file .env <<'ENV'
# comment
A=1
 B = two words  # comment
export C="a\nb # c"	# comment
D: yaml
E='single $A \n'
F=`back ${A} "x" 'y'`
G="several
lines"
H=$B ${A}x $NONE ${NONE:-default} ${NONE:-${A}} ${A:-no} \$A
I=a#b
J=
K
L=$L self
M="unclosed
N=\n
O=${A
P=again
P=last
ENV
bao show.js A B C D E F G H I J K L M N O P
