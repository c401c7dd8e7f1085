/** Whether this browser also plays as another device's player, asked of the server once. */

import type { Merged } from "../generated/wire";
import { request } from "../net/api";

let answer: Promise<Merged> | undefined;

/** Returns which players count as the user; the page is loaded anew when that changes. */
export function merged(): Promise<Merged> {
  answer ??= request<Merged>("GET", "/api/me/merge").catch((error: unknown) => {
    answer = undefined;
    throw error;
  });
  return answer;
}
