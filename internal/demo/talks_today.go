package demo

// waiting are today's talks with the demo's number.
func waiting() []talk {
	return []talk{
		{phone: "33755500171", name: "Camille Roux", to: "demo", past: []line{
			in(20*hour, "Bonjour, le colis est arrivé aujourd'hui."),
		}, late: []line{in(5*hour, "Et le café est excellent ☕")}, read: true, sends: []send{
			says("demo", "Merci beaucoup, Camille! À bientôt."),
		}, end: "resolved"},
		{phone: "85255500150", name: "Wei Zhang", labels: []string{"Urgent"}, late: []line{
			in(3*hour, "Is this the right number for wholesale?"),
			in(3*hour-min, "We need 200 kg by Friday"),
		}},
		{phone: "4915155500123", name: "Jonas Meyer", to: "demo", labels: []string{"Follow up"}, past: []line{
			in(day+4*hour, "Hallo, ich brauche die Rechnung auf meine Firma ausgestellt."),
			out(day+3*hour, "Hallo Herr Meyer, gern. Wie lauten Firma und Adresse?"),
			in(day+2*hour, "Meyer Röstwerk GmbH, Hafenstraße 12, 20457 Hamburg"),
			file(day+hour, "document", "Bitte sehr", invoice()).fromUs(),
			reaction(day+50*min, 4, "👍"),
		}, late: []line{in(2*hour, "Die USt-IdNr. fehlt noch: DE123456789").answering(4)}, notes: []note{
			remark("ana", "New invoice is in the works, bookkeeping has it until noon.", "demo"),
		}},
		{phone: "385915550109", name: "Marta Kovač", to: "ana", past: []line{
			in(6*hour, "Hi! Can I still add a bag to order 2231?"),
			out(6*hour-4*min, "Hi Marta, yes, until 15:00. Which one?"),
			in(5*hour, "The Toraja, 250 g, whole beans"),
			out(5*hour-10*min, "Added. Your parcel leaves today."),
		}, late: []line{reaction(70*min, 4, "👍"), in(69*min, "You are the best"), in(68*min, "One more thing: is the bag recyclable?")}},
		{phone: "6281255500142", name: "Dewi Pratiwi", to: "demo", labels: []string{"Shipping", "VIP"}, past: []line{
			in(2*day+hour, "Halo kak, paket untuk pesanan A-2207 sudah dikirim?"),
			out(2*day+40*min, "Halo Kak Dewi, besok pagi ya. Alamatnya masih Jl. Melati 4?"),
			file(3*hour+14*min, "image", "Ini alamat yang benar ya", picture("street")),
			reaction(3*hour+10*min, 3, "🙏").fromUs(),
			out(3*hour+8*min, "Terima kasih Kak Dewi. Alamat sudah kami perbarui, paket berangkat sore ini.").answering(3),
		}, late: []line{in(22*min, "Bisa dikirim hari ini? Saya butuh sebelum jam 5")}, notes: []note{
			remark("ana", "Address differs from the order. Can you check with the warehouse before it leaves?", "budi"),
		}, read: true, sends: []send{
			says("demo", "Bisa, kurir kami ambil jam 15.00."),
			sends("demo", "interactive", map[string]any{
				"type": "button", "body": map[string]any{"text": "Di mana paketnya boleh ditaruh kalau Kakak tidak di rumah?"},
				"action": map[string]any{"buttons": []any{button("neighbour", "Di tetangga"), button("guard", "Di satpam")}},
			}),
		}},
		{phone: "12025550100", name: "Ada (simulated)", past: []line{
			in(45*min, "Hello! I saw your shop. How do I order?"),
		}, late: []line{in(12*min, "And do you have a list of what you sell?")}},
	}
}

// leads are the talks with the sales number.
func leads() []talk {
	return []talk{
		{phone: "6281255500188", name: "Kopi Warung 21", sales: true, to: "clara", labels: []string{"New lead"}, end: "tomorrow", past: []line{
			in(day+6*hour, "Kami buka kafe baru di Bandung, minta daftar harga grosir"),
			file(day+5*hour, "document", "Daftar harga", priceList()).fromUs(),
		}, late: []line{in(18*hour, "Terima kasih, kami diskusikan dulu")}, read: true},
		{phone: "351915550133", name: "Tiago Nunes", sales: true, labels: []string{"New lead"}, late: []line{
			in(4*hour, "Hi, I saw your ad. How much is the starter box?").with("referral", map[string]any{
				"source_url": "https://shop.example.com/starter-box", "source_id": "120210000000000000", "source_type": "ad",
				"headline": "The starter box", "body": "Three islands, three coffees. Free shipping this week.", "media_type": "image",
				"image_url": "https://shop.example.com/starter-box.jpg",
			}),
		}},
		{phone: "27825550142", name: "Thandi Mokoena", sales: true, to: "clara", past: []line{
			in(3*day+hour, "Do you deliver to hotels in Cape Town?"),
			out(3*day+50*min, "We do, twice a month. How many rooms do you have?"),
		}, late: []line{in(50*min, "62 rooms, and a restaurant"), file(49*min, "image", "This is us", picture("hotel"))}},
		{phone: "46705550177", name: "Elsa Lind", sales: true, end: "resolved", to: "clara", past: []line{
			in(6*day, "Could we get samples for our roastery?"),
			out(6*day-hour, "With pleasure, Elsa. They are on their way."),
			in(2*day+9*hour, "They arrived. The Flores is a keeper!"),
		}},
	}
}

func button(id, title string) map[string]any {
	return map[string]any{"type": "reply", "reply": map[string]any{"id": id, "title": title}}
}
