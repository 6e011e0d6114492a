import type { Translated } from "../types";
import type { auth as english } from "../en/auth";

export const auth: Translated<typeof english> = {
  signInTitle: "Masuk",
  demo: "Ini demo. Data masuknya tercetak di terminal tempat server dijalankan.",
  email: "Email",
  password: "Kata sandi",
  signIn: "Masuk",
  wrong: "Email atau kata sandi salah.",
  tooMany: (seconds) =>
    seconds
      ? `Terlalu banyak percobaan. Tunggu ${seconds} detik, lalu coba lagi.`
      : "Terlalu banyak percobaan. Tunggu sebentar, lalu coba lagi.",
  forgot: "Lupa kata sandi? Admin dapat membuat tautan untuk memilih yang baru.",
  forgotten: "Lupa kata sandi?",
  forgottenHint: "Anda mendapat tautan lewat email untuk memilih kata sandi baru.",
  forgottenAsk: "Kirim tautan",
  forgottenAsked: (email) => `Jika ${email} terdaftar di sini, tautan sedang dikirim. Berlaku satu hari.`,
  setupTitle: "Siapkan Parley",
  setupHint: "Belum ada yang dapat masuk. Orang pertama menjadi pemilik.",
  token: "Token penyiapan",
  tokenHint: "Token ada di log server.",
  organization: "Organisasi",
  name: "Nama Anda",
  passwordHint: "Minimal 8 karakter.",
  setup: "Buat pemilik",
  setupDone: "Parley sudah disiapkan.",
  inviteTitle: (organization) => `Bergabung dengan ${organization}`,
  resetTitle: "Pilih kata sandi baru",
  inviteHint: (email) => `Anda akan masuk sebagai ${email}.`,
  newPassword: "Kata sandi baru",
  join: "Bergabung",
  change: "Simpan dan masuk",
  linkGone: "Tautan ini tidak berlaku lagi",
  linkGoneHint: "Tautan sudah dipakai, dicabut, atau terlalu lama. Minta yang baru kepada admin.",
  toSignIn: "Ke halaman masuk",
};
