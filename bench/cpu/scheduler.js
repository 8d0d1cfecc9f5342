// Objects that call each other through several classes: an operating system's tasks, queues and packets.
class Packet {
  constructor(link, owner, kind) {
    this.link = link;
    this.owner = owner;
    this.kind = kind;
    this.datum = 0;
    this.data = [0, 0, 0, 0];
  }
  appendTo(queue) {
    this.link = null;
    if (queue === null) return this;
    let last = queue;
    while (last.link !== null) last = last.link;
    last.link = this;
    return queue;
  }
}

class Task {
  constructor(system, id, priority, queue) {
    this.system = system;
    this.id = id;
    this.priority = priority;
    this.queue = queue;
    this.held = false;
    this.waiting = false;
  }
  ready() {
    return !this.held && (!this.waiting || this.queue !== null);
  }
  run() {
    let packet = null;
    if (this.waiting && this.queue !== null) {
      packet = this.queue;
      this.queue = packet.link;
      this.waiting = false;
    }
    return this.work(packet);
  }
}

class Idle extends Task {
  constructor(system, id, count) {
    super(system, id, 0, null);
    this.seed = 1;
    this.count = count;
  }
  work() {
    if (--this.count === 0) return this.system.hold(this);
    const bit = this.seed & 1;
    this.seed = bit ? (this.seed >> 1) ^ 0xd008 : this.seed >> 1;
    return this.system.release(bit ? 5 : 4);
  }
}

class Device extends Task {
  pending = null;
  work(packet) {
    if (packet !== null) {
      this.pending = packet;
      return this.system.hold(this);
    }
    if (this.pending === null) return this.system.wait(this);
    const done = this.pending;
    this.pending = null;
    return this.system.send(done, this);
  }
}

class Handler extends Task {
  works = null;
  devices = null;
  work(packet) {
    if (packet !== null) {
      if (packet.kind === "work") this.works = packet.appendTo(this.works);
      else this.devices = packet.appendTo(this.devices);
    }
    const work = this.works;
    if (work !== null) {
      if (work.datum >= 4) {
        this.works = work.link;
        return this.system.send(work, this);
      }
      const device = this.devices;
      if (device !== null) {
        this.devices = device.link;
        device.datum = work.data[work.datum++];
        return this.system.send(device, this);
      }
    }
    return this.system.wait(this);
  }
}

class Worker extends Task {
  target = 2;
  letter = 0;
  work(packet) {
    if (packet === null) return this.system.wait(this);
    this.target = this.target === 2 ? 3 : 2;
    packet.owner = this.target;
    packet.datum = 0;
    for (let i = 0; i < 4; i++) packet.data[i] = 65 + (this.letter = (this.letter + 1) % 26);
    return this.system.send(packet, this);
  }
}

class System {
  tasks = [];
  sent = 0;
  holds = 0;
  add(task) {
    this.tasks[task.id] = task;
    return task;
  }
  send(packet, from) {
    const to = this.tasks[packet.owner];
    this.sent++;
    packet.link = null;
    packet.owner = from.id;
    to.queue = packet.appendTo(to.queue);
    return to.priority > from.priority ? to : from;
  }
  wait(task) {
    task.waiting = true;
    return null;
  }
  hold(task) {
    this.holds++;
    task.held = true;
    return null;
  }
  release(id) {
    const task = this.tasks[id];
    task.held = false;
    return task;
  }
  run() {
    let current = null;
    for (;;) {
      if (current === null || !current.ready()) {
        current = null;
        for (const task of this.tasks) {
          if (task.ready() && (current === null || task.priority > current.priority)) current = task;
        }
        if (current === null) return;
      }
      current = current.run();
    }
  }
}

let total = 0;
for (let round = 0; round < 60; round++) {
  const system = new System();
  const packets = (owner, kind, count) => {
    let queue = null;
    for (let i = 0; i < count; i++) queue = new Packet(queue, owner, kind);
    return queue;
  };
  system.add(new Idle(system, 0, 10000));
  const worker = system.add(new Worker(system, 1, 1000, packets(0, "work", 2)));
  system.add(new Handler(system, 2, 2000, packets(4, "device", 3)));
  system.add(new Handler(system, 3, 3000, packets(5, "device", 3)));
  system.add(new Device(system, 4, 4000, null));
  system.add(new Device(system, 5, 5000, null));
  for (const task of system.tasks) task.waiting = task !== system.tasks[0];
  worker.waiting = true;
  system.run();
  total += system.sent + system.holds;
}
console.log(total);
