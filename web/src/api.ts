/** Asks the server over plain HTTP. */

import type { Code, Refused } from "./wire";

/** Why something could not be had: what the server refused, or that it cannot be reached. */
export class Trouble extends Error {
  constructor(readonly code: Code | "offline") {
    super(code);
  }
}

/** Returns the answer of the server.
 *
 * @throws {Trouble} if there is none, or it refuses.
 */
export async function ask<Answer>(
  method: "GET" | "POST",
  path: string,
  body?: unknown,
): Promise<Answer> {
  let response: Response;
  let answer: unknown;
  try {
    const headers = body === undefined ? undefined : { "Content-Type": "application/json" };
    response = await fetch(path, { method, headers, body: JSON.stringify(body) });
    answer = await response.json();
  } catch {
    // Also an answer that is no JSON: a proxy says that the server behind it is away.
    throw new Trouble("offline");
  }
  if (!response.ok) throw new Trouble((answer as Refused).code);
  return answer as Answer;
}
