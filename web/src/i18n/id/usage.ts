import type { usage as english } from "../en/usage";
import type { Translated } from "../types";

export const usage: Translated<typeof english> = {
  title: "Pemakaian",
  hint: (plan) => `Yang Anda pakai dari paket “${plan}”.`,
  messages: "Pesan bulan ini",
  used: (used) => `${used} pesan`,
  usedOf: (used, limit) => `${used} dari ${limit} pesan`,
  unlimited: "Paket ini tanpa batas.",
  progress: "Bagian pesan paket yang terpakai",
  forecast: (count) => `Jika terus begini, akhir bulan menjadi sekitar ${count}.`,
  forecastOver: (count, over) =>
    `Jika terus begini, akhir bulan menjadi sekitar ${count}: ${over} lebih banyak dari paket. Kelebihannya tidak dikirim.`,
  usedUp: "Pesan paket untuk bulan ini sudah habis. Pesan dikirim lagi mulai tanggal satu, atau dengan paket yang lebih besar.",
  days: "Pesan terkirim per hari",
  dayTitle: (day, count) => `${day}: ${count}`,
  numbers: "Nomor",
  users: "Pengguna",
  files: "Berkas",
  storage: "Ruang berkas",

  retention: "Berapa lama pesan disimpan",
  keep: "Simpan pesan selama",
  keepHint: "Pesan yang lebih lama dihapus selamanya, beserta berkas yang masuk bersamanya, catatan, dan linimasa. Kontak, percakapan, pustaka media, siaran, dan angka tetap ada.",
  daysOption: (n) => (n === 365 ? "1 tahun" : n === 730 ? "2 tahun" : `${n} hari`),
  planOption: (days) => (days ? `Selama diizinkan paket (${days})` : "Selamanya"),
  ownersOnly: "Hanya pemilik yang dapat mengubahnya.",
  change: "Ubah",
  confirmTitle: (days) => `Simpan pesan selama ${days}?`,
  confirmNone: "Sekarang tidak ada yang lebih lama. Mulai sekarang yang menjadi lebih lama dihapus.",
  confirmSome: (count, before) => `${count} pesan sebelum ${before} dihapus dalam beberapa menit, beserta berkas, catatan, dan linimasanya. Ini tidak dapat dibatalkan.`,
  confirmMany: (count, before) => `Lebih dari ${count} pesan sebelum ${before} dihapus, beserta berkas, catatan, dan linimasanya. Ini tidak dapat dibatalkan.`,
  longer: "Mulai sekarang pesan disimpan lebih lama. Yang sudah dihapus tetap terhapus.",
  confirmDelete: "Hapus yang lebih lama",
  confirm: "Simpan",
};
