/** Calls a player who looks elsewhere: by title, icon and, if that was wished, a notification. */

import { recall, remember } from "../../browser/storage";
import type { Game } from "../../game/onlineGame.svelte";
import { say } from "../../i18n/language.svelte";

/** How long another tab with the same table has to say that the player looks at it. */
const PATIENCE = 300;
const WHERE = "Does the player look at you?";
const HERE = "The player looks at me.";

let wished = $state(recall("notify") === "on");
let permission = $state(notifiable() ? Notification.permission : "denied");

function notifiable(): boolean {
  return "Notification" in window;
}

/** Whether the reader wants notifications; switched on, the browser is asked to allow them. */
export const notifying = {
  get on(): boolean {
    return wished && permission === "granted";
  },
  /** The reader wants them, and the browser does not. */
  get forbidden(): boolean {
    return wished && permission === "denied";
  },
  async choose(on: boolean): Promise<void> {
    wished = on;
    remember("notify", on ? "on" : "off");
    if (on && notifiable()) permission = await Notification.requestPermission();
  },
};

/** Calls whoever plays a game in this tab, as long as the component lives that makes it. */
export class Calling {
  private hidden = $state(document.hidden);
  private timer = 0;
  private notification: Notification | null = null;
  /** Tabs with the same table tell each other that the player looks at one of them. */
  private readonly tabs: BroadcastChannel;

  constructor(private readonly game: Game) {
    this.tabs = new BroadcastChannel(`looking at ${game.id}`);
    this.tabs.onmessage = ({ data }) => {
      if (data === HERE) this.close();
      else if (!document.hidden) this.tabs.postMessage(HERE);
    };
    $effect(() => {
      const look = () => (this.hidden = document.hidden);
      document.addEventListener("visibilitychange", look);
      return () => {
        document.removeEventListener("visibilitychange", look);
        this.tabs.close();
      };
    });
    $effect(() => {
      if (game.mine && this.hidden) return this.call();
      if (game.mine) this.tabs.postMessage(HERE);
      return undefined;
    });
  }

  /** Calls, and returns how to stop. */
  private call(): () => void {
    dress(`● ${say("page-table-called")}`, "/icon-called.svg");
    this.tabs.postMessage(WHERE);
    this.timer = window.setTimeout(() => this.notify(), PATIENCE);
    return () => {
      dress("Patchwork", "/icon.svg");
      this.close();
    };
  }

  private notify(): void {
    if (!notifying.on) return;
    try {
      // Two hidden tabs with one table make one notification of it.
      const options = { tag: `patchwork ${this.game.id}`, icon: "/icon-192.png" };
      this.notification = new Notification(say("page-table-called"), options);
      this.notification.onclick = () => window.focus();
    } catch {
      // Chrome on Android has the class, but only a service worker may use it there.
    }
  }

  private close(): void {
    window.clearTimeout(this.timer);
    this.notification?.close();
    this.notification = null;
  }
}

function dress(title: string, icon: string): void {
  document.title = title;
  document.querySelector('link[rel="icon"]')?.setAttribute("href", icon);
}
