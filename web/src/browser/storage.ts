/** What the browser remembers for us; where it may not, it is forgotten with the page. */

const forgotten = new Map<string, string>();

/** Returns what was remembered under a key, or null. */
export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return forgotten.get(key) ?? null;
  }
}

/** Forgets what was remembered under a key. */
export function forget(key: string): void {
  forgotten.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // then it was not remembered there
  }
}

/** Remembers a text under a key. */
export function remember(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    forgotten.set(key, text);
  }
}
