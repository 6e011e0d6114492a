package demo

// talks are the week's conversations with the demo's number, the oldest ones first.
func talks() []talk {
	all := append(settled(), running()...)
	return append(append(all, waiting()...), leads()...)
}

// settled are the talks of the beginning of the week.
func settled() []talk {
	return []talk{
		{phone: "447700900142", name: "Priya Shah", to: "ana", labels: []string{"Refund"}, end: "resolved", past: []line{
			in(6*day+5*hour, "Hi, one of the two mugs arrived broken. Order 1984."),
			file(6*day+5*hour-min, "image", "Like this", picture("mug")),
			out(6*day+4*hour, "Oh no, sorry about that, Priya! We refund the broken one today. You need not send it back."),
			in(6*day+4*hour-2*min, "That was quick. Thank you!"),
			reaction(6*day+4*hour-3*min, 3, "❤️").fromUs(),
		}},
		{phone: "6281355500177", name: "Toko Baju Sari", to: "budi", labels: []string{"VIP"}, end: "resolved", past: []line{
			in(5*day+8*hour, "Selamat pagi, bisa pesan 40 kg Gayo untuk akhir bulan?"),
			out(5*day+7*hour, "Pagi Bu Sari! Bisa, harga grosir Rp 145.000 per kg. Kami kirim tanggal 28."),
			in(5*day+7*hour-4*min, "Oke deal. Tolong kirim fakturnya ya"),
			file(5*day+6*hour, "document", "Faktur INV-2207", invoice()).fromUs(),
			in(5*day+6*hour-9*min, "Sudah saya transfer 🙏").answering(4),
			out(5*day+5*hour, "Sudah masuk, terima kasih Bu Sari!"),
		}, person: person{consent: "opted_in", labels: []string{"VIP"}, note: "Buys for three shops. Orders at the end of the month, pays by transfer."}},
		{phone: "4915155500161", name: "Hannah Vogel", to: "clara", end: "resolved", past: []line{
			in(5*day+2*hour, "Guten Tag, sind die Bohnen auch gemahlen erhältlich?"),
			out(5*day+hour, "Guten Tag Frau Vogel, ja: für Filter, Espresso oder French Press. Schreiben Sie es einfach in die Bestellnotiz."),
			in(5*day+50*min, "Perfekt, danke!"),
		}, person: person{consent: "opted_in"}},
		{phone: "13125550116", name: "Marcus Bell", to: "ana", end: "resolved", past: []line{
			in(4*day+3*hour, "Do you ship to Chicago?"),
			out(4*day+3*hour-6*min, "We do! 5 to 7 days, flat $12, free above $80."),
			in(4*day+3*hour-8*min, "👍"),
		}, person: person{consent: "opted_out"}},
		{phone: "819055500133", name: "Yuki Tanaka", end: "resolved", past: []line{
			in(4*day, "Hello. Is there a gift wrapping?"),
			out(4*day-20*min, "Hello Yuki, yes: tick \"gift\" at the checkout and write a few words for the card."),
			file(4*day-25*min, "audio", "", voice()),
			out(4*day-40*min, "You are very welcome!").answering(3).only("DELIVERED"),
		}},
	}
}

// running are the talks that somebody works on.
func running() []talk {
	return []talk{
		{phone: "233205550188", name: "Kofi Mensah", to: "budi", labels: []string{"Shipping"}, end: "reply", past: []line{
			in(3*day+2*hour, "Good morning. My parcel 8841 is at customs in Accra since Monday."),
			out(3*day+hour, "Good morning Kofi. The customs office needs a copy of your ID. Could you send one?"),
			file(3*day+40*min, "document", "", identity()),
			out(3*day+30*min, "Thank you, we have passed it on. They say three working days."),
		}, notes: []note{remark("budi", "Customs reference GH-55170. Call them on Thursday if nothing moves.", "")}},
		{phone: "34655500147", name: "Lucía Ortega", to: "clara", past: []line{
			in(2*day+3*hour, "Hola, ¿puedo cambiar la talla de la camiseta? Pedí una M y necesito L."),
			out(2*day+2*hour, "¡Hola Lucía! Claro que sí. ¿A qué dirección enviamos la L?"),
		}, late: []line{
			place(26*hour, "Calle de Atocha 27", "28012 Madrid", 40.4138, -3.6981),
			file(26*hour-2*min, "audio", "", voice()),
		}, read: true, labels: []string{"Shipping"}},
		{phone: "4915155500134", name: "Farid Haidari", to: "demo", past: []line{
			in(3*day, "Ist meine Bestellung A-17 schon unterwegs?"),
			out(3*day-15*min, "Noch nicht, wir warten auf die Lieferung aus Sumatra. Wir melden uns."),
		}, late: []line{in(31*hour, "Alles klar, danke")}, read: true, sends: []send{
			sends("demo", "template", template("order_update", "de", "Farid", "A-17")),
		}},
		{phone: "393335550190", name: "Giulia Ferri", to: "ana", labels: []string{"Follow up"}, end: "tomorrow", past: []line{
			in(2*day, "Buongiorno! Fate anche abbonamenti mensili?"),
			out(2*day-hour, "Buongiorno Giulia! From next month on, yes. May we write to you on the first day?"),
		}, late: []line{in(9*hour, "Yes please, that would be lovely")}, read: true, person: person{consent: "opted_in", labels: []string{"Follow up"}}},
		{phone: "6281255500119", name: "Rina Setiawan", to: "ana", past: []line{
			in(2*day+6*hour, "Kak, pesanan saya kok belum sampai?"),
			out(2*day+5*hour, "Mohon maaf Kak Rina, kurirnya kesulitan menemukan alamat. Boleh minta patokannya?"),
		}, late: []line{in(7*hour, "Depan masjid Al-Ikhlas, pagar hijau")}, read: true, fails: 131026, sends: []send{
			says("ana", "Siap Kak, kurir kami antar sore ini."),
		}},
		{phone: "917555500164", name: "Arjun Mehta", to: "budi", past: []line{
			in(4*day+hour, "Please tell me when the Mandheling is back"),
			out(4*day, "Will do!"),
		}, late: []line{in(30*hour, "Any news?")}, read: true, sends: []send{
			says("budi", "It is back since this morning!"),
		}, person: person{consent: "opted_in"}},
		{phone: "5511955500128", name: "Beatriz Lima", labels: []string{"VIP"}, fails: 131050, past: []line{
			in(5*day, "Adorei o café! Vocês avisam das promoções?"),
			out(5*day-hour, "Que bom! Avisamos sim."),
		}, to: "demo", sends: []send{sends("demo", "template", promo("20"))}},
	}
}

func template(name, language string, values ...string) map[string]any {
	return map[string]any{"name": name, "language": language, "components": []any{body(values...)}}
}

func body(values ...string) map[string]any {
	parameters := []any{}
	for _, v := range values {
		parameters = append(parameters, map[string]any{"type": "text", "text": v})
	}
	return map[string]any{"type": "body", "parameters": parameters}
}

func promo(percent string) map[string]any {
	return map[string]any{"name": "promo", "language": "en_US", "components": []any{
		body(percent),
		map[string]any{"type": "button", "sub_type": "url", "index": "1", "parameters": []any{map[string]any{"type": "text", "text": "sale"}}},
	}}
}
