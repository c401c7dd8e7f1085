/** Settings in localStorage, or in memory until the page is closed where the browser forbids it. */

const fallback = new Map<string, string>();

/** Returns the text stored under a key, or null. */
export function loadSetting(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return fallback.get(key) ?? null;
  }
}

/** Removes what is stored under a key. */
export function removeSetting(key: string): void {
  fallback.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // nothing was stored there
  }
}

/** Stores a text under a key. */
export function saveSetting(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    fallback.set(key, text);
  }
}
