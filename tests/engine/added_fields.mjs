// expected: recorded from node 25.9.0
// Objects of constructors that the compiler replaces by their fields: what programs see of them, also where the code is left while
// an object has some of its fields, where fields or parents differ, and where the object is kept. Only the results can be seen from
// a program; that no objects are made is what bench/kernels measures.
class Point {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  sum() {
    return this.x + this.y;
  }
}
class Secret {
  #size;
  static has(object) {
    return #size in object;
  }
  constructor(size) {
    this.#size = size;
  }
  area() {
    return this.#size * this.#size;
  }
}
class Circle extends Secret {
  area() {
    return super.area() * 3;
  }
}
class Ring extends Circle {
  hole = 1;
  constructor(size, hole) {
    super(size);
    if (hole !== undefined) this.hole = hole;
  }
  area() {
    return super.area() - this.hole;
  }
}
// The field is there only for some.
class Maybe {
  constructor(a, b) {
    this.a = a;
    if (b > 2) this.b = b;
    this.c = a + b;
  }
  text() {
    return Object.keys(this).join("") + this.c;
  }
}
// Returns another object, or something that is none.
class Other {
  constructor(i) {
    this.i = i;
    if (i % 7 === 3) return { i: -1 };
    if (i % 7 === 4) return undefined;
  }
}
// Left while it has one of two fields: `valueOf` and overflows at the second.
class Late {
  constructor(a, b) {
    this.a = a;
    this.b = b * 2 + a;
    this.c = Object.keys(this).join() + this.b;
  }
}
function Old(a) {
  this.a = a;
  this.twice = a + a;
}
Old.prototype.value = function () {
  return this.a + this.twice;
};
// Many fields: more than an object has room for in itself.
class Wide {
  constructor(i) {
    for (const name of "abcdefghijklmnopqrstuvwxyz") this[name] = i;
    this.last = i + 1;
  }
}
class Seven {
  constructor(i) {
    this.a = i;
    this.b = i + 1;
    this.c = i + 2;
    this.d = i + 3;
    this.e = i + 4;
    this.f = i + 5;
    this.g = i + 6;
  }
}

function points(n, one) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += new Point(i, one).sum();
  return sum;
}
function circles(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += new Circle(i & 7).area() + new Ring(i & 3).area() + new Ring(2, i & 1).area();
  return sum;
}
function maybes(n) {
  let text = "";
  for (let i = 0; i < n; i++) text += new Maybe(i, i % 5).text();
  return text.length + text.slice(-12);
}
function others(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += new Other(i).i;
  return sum;
}
function lates(n, b) {
  let last;
  for (let i = 0; i < n; i++) last = new Late(i, b).c;
  return last;
}
function olds(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const old = new Old(i);
    old.more = i;
    sum += old.value() + old.more;
  }
  return sum;
}
function wides(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const wide = new Wide(i);
    const seven = new Seven(i);
    sum += wide.z + wide.last + seven.a + seven.g;
  }
  return sum;
}
// Kept in some rounds, and compared.
function kept(n, at) {
  let found;
  let same = 0;
  for (let i = 0; i < n; i++) {
    const point = new Point(i, 1);
    const again = point;
    if (again === point && point instanceof Point) same++;
    if (i === at) found = point;
  }
  return [same, JSON.stringify(found)];
}
// Two objects in one, and a loop that goes on with what was made in the round before.
function nested(n) {
  let previous = new Point(0, 0);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const line = { from: previous, to: new Point(i, previous.x) };
    sum += line.to.sum() - line.from.x;
    previous = line.to;
  }
  return sum;
}
// Thrown while the object has one field, and caught where it is still known.
function thrown(n, at) {
  let caught = "";
  for (let i = 0; i < n; i++) {
    const object = new Old(i);
    try {
      object.b = i;
      if (i === at) null.x;
      object.c = i;
    } catch {
      caught += JSON.stringify(object);
    }
  }
  return caught;
}

const seen = [];
for (let round = 0; round < 250; round++) {
  seen.length = 0;
  seen.push(points(60, 1), circles(60), maybes(30), others(30), lates(30, 2), olds(60), wides(5), kept(50, round % 100), nested(40));
  seen.push(thrown(30, round % 60));
}
console.log(JSON.stringify(seen));

// Other types than those that were compiled.
console.log(points(3, 0.5), points(2, "x"), points(4, 2 ** 31), lates(3, 2 ** 30), lates(2, 0.25), lates(2, { valueOf: () => 4 }));
let asked = "";
console.log(lates(2, { valueOf: () => ((asked += "v"), 5) }), asked);
try {
  lates(1, 1n);
} catch (error) {
  console.log(error instanceof TypeError);
}

// Setters and other classes in the chain, after it was compiled.
Object.defineProperty(Point.prototype, "y", {
  get() {
    return 100;
  },
  set(value) {
    asked += value;
  },
  configurable: true,
});
console.log(points(3, 1), asked, JSON.stringify(kept(3, 1)));
delete Point.prototype.y;
console.log(points(3, 1), JSON.stringify(kept(3, 1)));
Object.setPrototypeOf(Circle, Point);
try {
  console.log(circles(2));
} catch (error) {
  console.log(error instanceof TypeError, Secret.has(new Circle(1)), JSON.stringify(new Circle(1, 2)));
}
Object.setPrototypeOf(Circle, Secret);
console.log(circles(60), Secret.has(new Circle(1)));

// The target is another than the class.
function built(target) {
  const object = Reflect.construct(Circle, [3], target);
  return [Object.getPrototypeOf(object) === target.prototype, Secret.has(object)];
}
for (let i = 0; i < 200; i++) built(i % 2 ? Ring : Point);
console.log(built(Ring), built(Point), built(function () {}));
