// Floating point and property access: the planets of the solar system under each other's gravity.
const SOLAR_MASS = 4 * Math.PI * Math.PI;
const DAYS = 365.24;

class Body {
  constructor(x, y, z, vx, vy, vz, mass) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.vx = vx * DAYS;
    this.vy = vy * DAYS;
    this.vz = vz * DAYS;
    this.mass = mass * SOLAR_MASS;
  }
}

const bodies = [
  new Body(0, 0, 0, 0, 0, 0, 1),
  new Body(4.84143144246472, -1.16032004402742, -0.103622044471123, 0.00166007664274403, 0.00769901118419740, -0.0000690460016972063, 0.000954791938424326),
  new Body(8.34336671824457, 4.12479856412430, -0.403523417114321, -0.00276742510726411, 0.00499852801234917, 0.0000230417297573763, 0.000285885980666130),
  new Body(12.8943695621391, -15.1111514016986, -0.223307578892655, 0.00296460137564761, 0.00237847173959480, -0.0000296589568540237, 0.0000436624404335156),
  new Body(15.3796971148509, -25.9193146099879, 0.179258772950371, 0.00268067772490389, 0.00162824170038242, -0.0000951592254519715, 0.0000515138902046611),
];

function energy() {
  let e = 0;
  for (let i = 0; i < bodies.length; i++) {
    const a = bodies[i];
    e += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz);
    for (let j = i + 1; j < bodies.length; j++) {
      const b = bodies[j];
      e -= (a.mass * b.mass) / Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
    }
  }
  return e;
}

function step(dt) {
  for (let i = 0; i < bodies.length; i++) {
    const a = bodies[i];
    for (let j = i + 1; j < bodies.length; j++) {
      const b = bodies[j];
      const dx = a.x - b.x;
      const dy = a.y - b.y;
      const dz = a.z - b.z;
      const square = dx * dx + dy * dy + dz * dz;
      const pull = dt / (square * Math.sqrt(square));
      a.vx -= dx * b.mass * pull;
      a.vy -= dy * b.mass * pull;
      a.vz -= dz * b.mass * pull;
      b.vx += dx * a.mass * pull;
      b.vy += dy * a.mass * pull;
      b.vz += dz * a.mass * pull;
    }
  }
  for (const body of bodies) {
    body.x += dt * body.vx;
    body.y += dt * body.vy;
    body.z += dt * body.vz;
  }
}

for (let i = 0; i < 3_000_000; i++) step(0.01);
console.log(energy().toFixed(6));
