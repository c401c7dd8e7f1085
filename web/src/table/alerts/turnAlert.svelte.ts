/** Alerts a player on another tab or window, by title, icon and, if allowed, a notification: it is
 * the player's turn, or the other player has come. */

import { loadSetting, saveSetting } from "../../browser/storage";
import { seatName } from "../../game/describe";
import type { OnlineGame } from "../../game/onlineGame.svelte";
import { say } from "../../i18n/language.svelte";

/** Milliseconds in which another tab with the same table can reply that it is visible. */
const TAB_REPLY_TIMEOUT = 300;
/** What the tabs say to each other. */
const ASK_VISIBLE = "is any tab visible?";
const VISIBLE = "this tab is visible";

let wanted = $state(loadSetting("notify") === "on");
let permission = $state(isSupported() ? Notification.permission : "denied");

function isSupported(): boolean {
  return "Notification" in window;
}

/** Whether the user wants notifications; turning them on asks the browser for permission. */
export const notifications = {
  get on(): boolean {
    return wanted && permission === "granted";
  },
  /** Whether the user wants them, but the browser does not allow them. */
  get blocked(): boolean {
    return wanted && permission === "denied";
  },
  async set(on: boolean): Promise<void> {
    wanted = on;
    saveSetting("notify", on ? "on" : "off");
    if (on && isSupported()) permission = await Notification.requestPermission();
  },
};

/** Alerts the player in this tab while the component that creates it is mounted. */
export class TurnAlert {
  private hidden = $state(document.hidden);
  private timer = 0;
  private notification: Notification | null = null;
  /** Through this, tabs with the same table learn that one of them is visible. */
  private readonly tabs: BroadcastChannel;

  constructor(private readonly game: OnlineGame) {
    setTitleAndIcon("Patchwork", "/icon.svg"); // the server's title is for links to the table
    this.tabs = new BroadcastChannel(`looking at ${game.id}`);
    this.tabs.onmessage = ({ data }) => {
      if (data === VISIBLE) this.close();
      else if (!document.hidden) this.tabs.postMessage(VISIBLE);
    };
    $effect(() => {
      const update = () => (this.hidden = document.hidden);
      document.addEventListener("visibilitychange", update);
      return () => {
        document.removeEventListener("visibilitychange", update);
        this.tabs.close();
      };
    });
    $effect(() => {
      const news = this.news();
      if (news && this.hidden) return this.alert(news);
      if (news) this.tabs.postMessage(VISIBLE);
      if (!this.hidden) game.arrival = null;
      return undefined;
    });
  }

  /** Returns what the player should know; empty if there is nothing. */
  private news(): string {
    const { arrival, myTurn } = this.game;
    if (arrival) {
      const name = seatName(this.game, arrival.seat);
      return arrival.back ? say("page-table-back", { name }) : say("page-table-arrived", { name });
    }
    return myTurn ? say("page-table-called") : "";
  }

  /** Alerts the player, and returns a function that ends the alert. */
  private alert(news: string): () => void {
    setTitleAndIcon(`● ${news}`, "/icon-called.svg");
    this.tabs.postMessage(ASK_VISIBLE);
    this.timer = window.setTimeout(() => this.notify(news), TAB_REPLY_TIMEOUT);
    return () => {
      setTitleAndIcon("Patchwork", "/icon.svg");
      this.close();
    };
  }

  private notify(news: string): void {
    if (!notifications.on) return;
    try {
      // With the same tag, the notifications of two hidden tabs appear as one.
      const options = { tag: `patchwork ${this.game.id}`, icon: "/icon-192.png" };
      this.notification = new Notification(news, options);
      this.notification.onclick = () => window.focus();
    } catch {
      // Chrome on Android has the class, but lets only service workers use it.
    }
  }

  private close(): void {
    window.clearTimeout(this.timer);
    this.notification?.close();
    this.notification = null;
  }
}

function setTitleAndIcon(title: string, icon: string): void {
  document.title = title;
  document.querySelector('link[rel="icon"]')?.setAttribute("href", icon);
}
