// JSON.stringify names the way from an object that holds itself back to it, as V8 does.
function tell(make) {
  try {
    console.log(JSON.stringify(...[make()].flat(1)));
  } catch (error) {
    console.log(`${error.name}: ${error.message}`);
  }
}

const self = {};
self.a = self;
tell(() => self);
tell(() => [self, null, 2]);
tell(() => [self, (key, value) => value]);
tell(() => [self, ["a"]]);
tell(() => ({ given: { toJSON: () => self } }));
tell(() => new Proxy(self, {}));

const deep = { x: { y: [1, { z: null }] } };
deep.x.y[1].z = deep;
tell(() => deep);

for (const length of [2, 3, 4, 5, 9]) {
  const first = {};
  let last = first;
  for (let i = 1; i < length; i++) last = last[`step${i}`] = {};
  last.back = first;
  tell(() => ({ before: { it: first } }));
}

class Node {
  constructor(parent) {
    this.parent = parent;
  }
}
const root = new Node(null);
root.child = new Node(root);
tell(() => root);

const list = [];
list.push(0, list);
tell(() => ({ list }));
const numbered = { 5: null };
numbered[5] = numbered;
tell(() => numbered);
const unnamed = {};
unnamed[""] = unnamed;
tell(() => unnamed);
const bare = Object.create(null);
bare["é\u{1F600}"] = bare;
tell(() => bare);
const odd = { constructor: null };
odd.odd = odd;
tell(() => odd);
const many = {};
for (let i = 0; i < 500; i++) many[`name${i}`] = i;
many.own = many;
tell(() => many);
const twice = { one: null, two: null };
twice.one = twice.two = twice;
tell(() => twice);
