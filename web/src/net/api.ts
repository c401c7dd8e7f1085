/** Requests to the server over HTTP. */

import type { Code, Refused } from "../generated/wire";

/** Why a request failed: the code of the server's refusal, or "offline" without a usable answer. */
export class RequestError extends Error {
  constructor(
    readonly code: Code | "offline",
    /** An explanation in English, for developers. */
    readonly detail = "",
  ) {
    super(code);
  }
}

/** Sends a request, with a JSON body if one is given, and returns the answer.
 *
 * @throws {RequestError} if the server refuses or cannot be reached.
 */
export async function request<Answer>(
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Answer> {
  if (body === undefined) return fetchJson<Answer>(path, { method });
  const headers = { "Content-Type": "application/json" };
  return fetchJson<Answer>(path, { method, headers, body: JSON.stringify(body) });
}

/** Posts plain text, such as a game record, and returns the answer.
 *
 * @throws {RequestError} if the server refuses or cannot be reached.
 */
export async function postText<Answer>(path: string, text: string): Promise<Answer> {
  const headers = { "Content-Type": "text/plain; charset=utf-8" };
  return fetchJson<Answer>(path, { method: "POST", headers, body: text });
}

/** Returns whether the server can be reached. */
export async function serverAnswers(): Promise<boolean> {
  const answer = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  return answer?.ok ?? false;
}

async function fetchJson<Answer>(path: string, options: RequestInit): Promise<Answer> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(path, options);
    body = await response.json();
  } catch {
    // An answer that is not JSON comes from a proxy that cannot reach the server.
    throw new RequestError("offline");
  }
  if (!response.ok) throw new RequestError((body as Refused).code, (body as Refused).detail);
  return body as Answer;
}
