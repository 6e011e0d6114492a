package onboard

import (
	"strconv"
	"strings"
)

// texts are the page's words in one language.
type texts struct {
	lang  string
	words map[string]string
}

// languages are the page's languages. The first is the default.
var languages = []texts{{"en", english}, {"id", indonesian}}

// textFor picks the browser's preferred language of those we have.
func textFor(acceptLanguage string) texts {
	best, bestQuality := languages[0], 0.0
	for part := range strings.SplitSeq(acceptLanguage, ",") {
		tag, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		quality := 1.0
		if text, ok := strings.CutPrefix(strings.TrimSpace(parameters), "q="); ok {
			q, err := strconv.ParseFloat(text, 64)
			if err != nil {
				continue
			}
			quality = q
		}
		if t, ok := speaks(tag); ok && quality > bestQuality {
			best, bestQuality = t, quality
		}
	}
	return best
}

func speaks(tag string) (texts, bool) {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if base == "in" { // the old code of Indonesian, which some browsers still send
		base = "id"
	}
	for _, t := range languages {
		if t.lang == base {
			return t, true
		}
	}
	return texts{}, false
}

var english = map[string]string{
	"welcome.title":   "Connect your WhatsApp number",
	"welcome.lead":    "{organization} asks for access to a WhatsApp Business number of yours, to send and receive messages with it.",
	"welcome.step1":   "You sign in to your business account on the provider's own pages. {organization} does not see your password.",
	"welcome.step2":   "There you choose the number to connect, or add a new one.",
	"welcome.step3":   "You come back here, and {organization} can send and receive messages with that number.",
	"welcome.steps":   "What happens next",
	"welcome.note":    "You can take the access back at any time in the settings of your business account.",
	"welcome.caution": "Go on only if you know {organization}.",
	"welcome.action":  "Continue to sign-up",

	"fact.for":    "To be connected for",
	"fact.until":  "This link works once, until",
	"fact.done":   "Connected for",
	"fact.number": "Number",

	"date.days":   "Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
	"date.months": "January February March April May June July August September October November December",
	"date.clock":  "15:04",
	"in.days":     "in {count} days",
	"in.hours":    "in {count} hours",
	"in.minutes":  "in {count} minutes",
	"in.minute":   "in a minute",

	"done.title": "Your number is connected",
	"done.lead":  "{organization} can now send and receive messages with it.",
	"done.note":  "You can close this page.",
	"wait.title": "Almost done",
	"wait.lead":  "Your number is connected, but it cannot send yet: {organization} still has to register it. If the number has a two-step verification PIN, {organization} will ask you for it.",

	"again": "Try again",
	"code":  "Reason:",

	"link_invalid.title":             "This link does not work",
	"link_invalid.lead":              "Check that the whole address was copied, or ask whoever sent it to you for a new link.",
	"link_expired.title":             "This link has expired",
	"link_expired.lead":              "Ask {organization} for a new one.",
	"link_revoked.title":             "This link was withdrawn",
	"link_revoked.lead":              "{organization} has taken it back. Ask them for a new one.",
	"link_consumed.title":            "This link has been used",
	"link_consumed.lead":             "A number was connected through it already, and it works only once. For another number, ask {organization} for another link.",
	"signup_cancelled.title":         "Nothing was connected",
	"signup_cancelled.lead":          "{organization} was given no access. You can go on whenever you like.",
	"signup_failed.title":            "That did not work",
	"signup_failed.lead":             "The sign-up could not be completed, and nothing was connected. Please try it once more. If it fails again, tell {organization} the reason below.",
	"number_already_connected.title": "This number is in use",
	"number_already_connected.lead":  "It is already connected with somebody else here. Choose another number, or have it disconnected there first.",
	"internal_error.title":           "Something went wrong here",
	"internal_error.lead":            "It is not your fault, and nothing was connected. Please try again in a few minutes.",
	"browser.lead":                   "Open the link that you were sent, and complete the sign-up in the same browser within an hour.",
	"busy.title":                     "One moment, please",
	"busy.lead":                      "There were too many requests. Wait half a minute, then load the page again.",
}

var indonesian = map[string]string{
	"welcome.title":   "Hubungkan nomor WhatsApp Anda",
	"welcome.lead":    "{organization} meminta akses ke nomor WhatsApp Business Anda untuk mengirim dan menerima pesan dengan nomor itu.",
	"welcome.step1":   "Anda masuk ke akun bisnis Anda di halaman milik penyedia. {organization} tidak melihat kata sandi Anda.",
	"welcome.step2":   "Di sana Anda memilih nomor yang akan dihubungkan, atau menambahkan nomor baru.",
	"welcome.step3":   "Anda kembali ke sini, dan {organization} dapat mengirim dan menerima pesan dengan nomor tersebut.",
	"welcome.steps":   "Langkah selanjutnya",
	"welcome.note":    "Anda dapat mencabut akses ini kapan saja di pengaturan akun bisnis Anda.",
	"welcome.caution": "Lanjutkan hanya jika Anda mengenal {organization}.",
	"welcome.action":  "Lanjut ke pendaftaran",

	"fact.for":    "Akan dihubungkan untuk",
	"fact.until":  "Tautan ini berlaku satu kali, sampai",
	"fact.done":   "Terhubung untuk",
	"fact.number": "Nomor",

	"date.days":   "Minggu Senin Selasa Rabu Kamis Jumat Sabtu",
	"date.months": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
	"date.clock":  "15.04",
	"in.days":     "{count} hari lagi",
	"in.hours":    "{count} jam lagi",
	"in.minutes":  "{count} menit lagi",
	"in.minute":   "semenit lagi",

	"done.title": "Nomor Anda sudah terhubung",
	"done.lead":  "{organization} sekarang dapat mengirim dan menerima pesan dengan nomor ini.",
	"done.note":  "Anda boleh menutup halaman ini.",
	"wait.title": "Hampir selesai",
	"wait.lead":  "Nomor Anda sudah terhubung, tetapi belum dapat mengirim: {organization} masih harus mendaftarkannya. Jika nomor ini memiliki PIN verifikasi dua langkah, {organization} akan menanyakannya kepada Anda.",

	"again": "Coba lagi",
	"code":  "Alasan:",

	"link_invalid.title":             "Tautan ini tidak berfungsi",
	"link_invalid.lead":              "Periksa apakah seluruh alamat sudah disalin, atau minta tautan baru kepada pengirimnya.",
	"link_expired.title":             "Tautan ini sudah kedaluwarsa",
	"link_expired.lead":              "Mintalah tautan baru kepada {organization}.",
	"link_revoked.title":             "Tautan ini sudah ditarik",
	"link_revoked.lead":              "{organization} telah menariknya kembali. Mintalah tautan baru kepada mereka.",
	"link_consumed.title":            "Tautan ini sudah dipakai",
	"link_consumed.lead":             "Sebuah nomor sudah dihubungkan lewat tautan ini, dan tautan hanya berlaku satu kali. Untuk nomor lain, mintalah tautan lain kepada {organization}.",
	"signup_cancelled.title":         "Tidak ada yang dihubungkan",
	"signup_cancelled.lead":          "{organization} tidak diberi akses. Anda dapat melanjutkan kapan saja.",
	"signup_failed.title":            "Belum berhasil",
	"signup_failed.lead":             "Pendaftaran tidak dapat diselesaikan, dan tidak ada yang dihubungkan. Silakan coba sekali lagi. Jika gagal lagi, sampaikan alasan di bawah ini kepada {organization}.",
	"number_already_connected.title": "Nomor ini sedang dipakai",
	"number_already_connected.lead":  "Nomor ini sudah terhubung dengan pihak lain di sini. Pilih nomor lain, atau putuskan dulu hubungannya di sana.",
	"internal_error.title":           "Terjadi kesalahan di pihak kami",
	"internal_error.lead":            "Ini bukan kesalahan Anda, dan tidak ada yang dihubungkan. Silakan coba lagi beberapa menit lagi.",
	"browser.lead":                   "Buka tautan yang Anda terima, lalu selesaikan pendaftaran di peramban yang sama dalam waktu satu jam.",
	"busy.title":                     "Mohon tunggu sebentar",
	"busy.lead":                      "Terlalu banyak permintaan. Tunggu setengah menit, lalu muat ulang halaman ini.",
}
