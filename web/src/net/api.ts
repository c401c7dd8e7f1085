/** Asks the server over plain HTTP. */

import type { Code, Refused } from "../generated/wire";

/** Why something could not be had: what the server refused, or that it cannot be reached. */
export class Trouble extends Error {
  constructor(
    readonly code: Code | "offline",
    /** English for programmers. */
    readonly detail = "",
  ) {
    super(code);
  }
}

/** Returns the answer of the server.
 *
 * @throws {Trouble} if there is none, or it refuses.
 */
export async function ask<Answer>(
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Answer> {
  if (body === undefined) return answer<Answer>(path, { method });
  const headers = { "Content-Type": "application/json" };
  return answer<Answer>(path, { method, headers, body: JSON.stringify(body) });
}

/** Returns what the server makes of a text.
 *
 * @throws {Trouble} if that is nothing.
 */
export async function askAbout<Answer>(path: string, text: string): Promise<Answer> {
  const headers = { "Content-Type": "text/plain; charset=utf-8" };
  return answer<Answer>(path, { method: "POST", headers, body: text });
}

async function answer<Answer>(path: string, request: RequestInit): Promise<Answer> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(path, request);
    body = await response.json();
  } catch {
    // Also an answer that is no JSON: a proxy says that the server behind it is away.
    throw new Trouble("offline");
  }
  if (!response.ok) throw new Trouble((body as Refused).code, (body as Refused).detail);
  return body as Answer;
}
