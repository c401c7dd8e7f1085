/** Whether others in the local network can play here; only a browser on the server's machine asks. */

import type { LocalNetwork } from "../generated/wire";
import { request } from "./api";

const PATH = "/api/local-network";

/** Whether the page was opened at an address that leads to this machine alone. */
export const onlyThisMachine = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);

let network = $state.raw<LocalNetwork>({ offered: false, open: false, addresses: [], qr: null });
let failed = $state(false);

export const localNetwork = {
  get offered(): boolean {
    return network.offered;
  },
  get open(): boolean {
    return network.open;
  },
  /** Where others reach the server, or would if it were open; the best first. */
  get addresses(): string[] {
    return network.addresses;
  },
  get qr(): string | null {
    return network.qr;
  },
  /** Whether it could not be opened when the user last tried. */
  get failed(): boolean {
    return failed;
  },
  /** Where players reach this page. */
  get origin(): string {
    return (network.open && network.addresses[0]) || location.origin;
  },
  async load(): Promise<void> {
    if (onlyThisMachine) network = await request<LocalNetwork>("GET", PATH);
  },
  async set(open: boolean): Promise<void> {
    network = await request<LocalNetwork>(open ? "POST" : "DELETE", PATH);
    failed = open && !network.open;
  },
};
