/** Short sounds, synthesized here so that no files have to be loaded. */

import { preferences } from "../../settings/preferences.svelte";

/** Frequencies in hertz, of equal temperament. */
const NOTES = { G4: 392, C5: 523, E5: 659, G5: 784, C6: 1047 };
/** Seconds between the beginnings of two notes. */
const NOTE_INTERVAL = 0.11;
const NOTE_LENGTH = 0.25;
/** A part of the full volume, 1. */
const VOLUME = 0.12;
/** An exponential ramp cannot end at zero. */
const SILENCE = 0.001;

let context: AudioContext | undefined;

/** Plays notes one after another, if the user has turned sounds on. */
function play(...notes: number[]): void {
  if (!preferences.sound) return;
  context ??= new AudioContext();
  notes.forEach((frequency, index) => {
    playNote(context as AudioContext, frequency, NOTE_INTERVAL * index);
  });
}

function playNote(audio: AudioContext, frequency: number, delay: number): void {
  const start = audio.currentTime + delay;
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  tone.type = "triangle";
  tone.frequency.value = frequency;
  volume.gain.setValueAtTime(VOLUME, start);
  volume.gain.exponentialRampToValueAtTime(SILENCE, start + NOTE_LENGTH);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + NOTE_LENGTH);
}

/** A move was played. */
export function playMoveSound(): void {
  play(NOTES.G4);
}

/** It is the user's turn. */
export function playTurnSound(): void {
  play(NOTES.C5, NOTES.E5);
}

/** The other player has come. */
export function playArrivalSound(): void {
  play(NOTES.G4, NOTES.C5);
}

/** The game is over. */
export function playEndSound(): void {
  play(NOTES.C5, NOTES.E5, NOTES.G5, NOTES.C6);
}
