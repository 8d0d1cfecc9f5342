/** node:dns (https://nodejs.org/api/dns.html). */
import { AI_ADDRCONFIG, AI_ALL, AI_V4MAPPED, defaultOrder, lookup, lookupService, setDefaultResultOrder } from "internal/dns/lookup";

const exported: any = {
  lookup,
  lookupService,
  getDefaultResultOrder: defaultOrder,
  setDefaultResultOrder,
  ADDRCONFIG: AI_ADDRCONFIG,
  ALL: AI_ALL,
  V4MAPPED: AI_V4MAPPED,
};

export default exported;
