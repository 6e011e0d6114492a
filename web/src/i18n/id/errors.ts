import type { errors as english } from "../en/errors";
import type { Translated } from "../types";

export const errors: Translated<typeof english> = {
  required: "Isi bagian ini.",
  tooShort: (least) => `Tulis paling sedikit ${least} karakter.`,
  tooLong: (most) => `Tulis paling banyak ${most} karakter.`,
  between: (least, most) => `Tulis antara ${least} dan ${most} karakter.`,
  choose: "Pilih salah satu nilai yang tersedia.",
  email: "Ini bukan alamat email. Bentuknya nama@contoh.com.",
  address: "Ini bukan alamat web. Awalnya https://.",
  phone: "Ini bukan nomor telepon. Tulis dengan kode negara, misalnya +62 812 3456 7890.",
  number: "Tulis sebuah angka.",
  least: (least) => `Harus ${least} atau lebih.`,
  most: (most) => `Harus ${most} atau kurang.`,
  fewItems: (least) => `Pilih paling sedikit ${least}.`,
  manyItems: (most) => `Pilih paling banyak ${most}.`,
  shape: "Ini tidak bisa ditulis seperti itu.",
  emailTaken: "Sudah ada orang dengan alamat ini.",
  onlyOwner: "Ini satu-satunya pemilik. Jadikan orang lain pemilik dulu.",
  wrongPassword: "Ini bukan kata sandi Anda.",
  teamTaken: "Sudah ada tim dengan nama ini.",
  labelTaken: "Sudah ada label dengan nama ini.",
  forbidden: "Anda tidak boleh melakukan ini. Minta pemilik atau admin.",
  gone: "Sudah tidak ada, atau Anda tidak boleh melihatnya.",
  tooOften: "Ini terlalu sering. Tunggu sebentar lalu coba lagi.",
};
