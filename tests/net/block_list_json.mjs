// expected: recorded from node 25.9.0
// BlockList.fromJSON() adds the first rule first; rules are shown newest first.
import { BlockList } from "node:net";

const list = new BlockList();
list.addAddress("1.1.1.1");
list.addRange("10.0.0.1", "10.0.0.9");
list.addSubnet("fe80::", 10, "ipv6");
console.log(list.toJSON());
const copy = new BlockList();
copy.addAddress("9.9.9.9");
copy.fromJSON(list.toJSON());
console.log(copy.rules);
copy.fromJSON(JSON.stringify(["Address: IPv4 1.2.3.5", "Range: IPv4 11.0.0.0-11.0.0.8"]));
console.log(copy.rules, copy.check("11.0.0.3"), copy.check("fe80::1", "ipv6"));
