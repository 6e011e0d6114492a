/** Two soft tones, made here: nothing has to be loaded. */
export function chime(): void {
  const audio = new AudioContext();
  const tone = (frequency: number, at: number) => {
    const oscillator = audio.createOscillator();
    const volume = audio.createGain();
    oscillator.frequency.value = frequency;
    volume.gain.setValueAtTime(0.0001, audio.currentTime + at);
    volume.gain.exponentialRampToValueAtTime(0.12, audio.currentTime + at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + at + 0.35);
    oscillator.connect(volume).connect(audio.destination);
    oscillator.start(audio.currentTime + at);
    oscillator.stop(audio.currentTime + at + 0.4);
  };
  tone(660, 0);
  tone(880, 0.14);
  setTimeout(() => void audio.close(), 1000);
}
