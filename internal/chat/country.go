package chat

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// callingCodes lists the countries by their two letters, each with its calling code.
const callingCodes = `
AD376 AE971 AF93 AG1 AI1 AL355 AM374 AO244 AR54 AS1 AT43 AU61 AW297 AZ994 BA387 BB1 BD880 BE32 BF226 BG359
BH973 BI257 BJ229 BM1 BN673 BO591 BR55 BS1 BT975 BW267 BY375 BZ501 CA1 CD243 CF236 CG242 CH41 CI225 CK682
CL56 CM237 CN86 CO57 CR506 CU53 CV238 CY357 CZ420 DE49 DJ253 DK45 DM1 DO1 DZ213 EC593 EE372 EG20 ER291 ES34
ET251 FI358 FJ679 FM691 FO298 FR33 GA241 GB44 GD1 GE995 GH233 GI350 GL299 GM220 GN224 GP590 GQ240 GR30 GT502
GU1 GW245 GY592 HK852 HN504 HR385 HT509 HU36 ID62 IE353 IL972 IN91 IQ964 IR98 IS354 IT39 JM1 JO962 JP81 KE254
KG996 KH855 KI686 KM269 KN1 KR82 KW965 KY1 KZ7 LA856 LB961 LC1 LI423 LK94 LR231 LS266 LT370 LU352 LV371 LY218
MA212 MC377 MD373 ME382 MG261 MH692 MK389 ML223 MM95 MN976 MO853 MQ596 MR222 MT356 MU230 MV960 MW265 MX52
MY60 MZ258 NA264 NC687 NE227 NG234 NI505 NL31 NO47 NP977 NR674 NZ64 OM968 PA507 PE51 PF689 PG675 PH63 PK92
PL48 PR1 PS970 PT351 PW680 PY595 QA974 RE262 RO40 RS381 RU7 RW250 SA966 SB677 SC248 SD249 SE46 SG65 SI386
SK421 SL232 SM378 SN221 SO252 SR597 SS211 ST239 SV503 SY963 SZ268 TD235 TG228 TH66 TJ992 TL670 TM993 TN216
TO676 TR90 TT1 TV688 TW886 TZ255 UA380 UG256 US1 UY598 UZ998 VA39 VC1 VE58 VN84 VU678 WS685 XK383 YE967 ZA27
ZM260 ZW263`

// callingCode returns the calling code of a country, or an empty text where it is not known.
func callingCode(country string) string { return countryCodes[country] }

var countryCodes = func() map[string]string {
	codes := map[string]string{}
	for entry := range strings.FieldsSeq(callingCodes) {
		codes[entry[:2]] = entry[2:]
	}
	return codes
}()

// trunks are the digits that people dial before a national number, where these are not 0. Italy has none,
// because its 0 is dialled from abroad as well.
var trunks = map[string]string{
	"RU": "8", "KZ": "8", "BY": "8", "TM": "8", "UZ": "8", "HU": "06", "LT": "0", "MN": "0",
	"IT": "", "SM": "", "VA": "", "ES": "", "PT": "", "GR": "", "PL": "", "CZ": "", "DK": "", "NO": "", "SG": "", "HK": "", "MT": "", "LU": "",
}

var (
	shortened = regexp.MustCompile(`^[0-9][.,]?[0-9]*[eE]\+?[0-9]+$`)
	asDecimal = regexp.MustCompile(`^\+?[0-9]+[.,]0+$`)
	asFormula = regexp.MustCompile(`^="(.*)"$`) // keeps a spreadsheet from shortening it
	asAddress = regexp.MustCompile(`^(?i:tel|whatsapp):`)
)

// zeros are the zeros of the digits in which numbers are written elsewhere: Arabic, Persian, Hindi, Bengali, and wide ones.
var zeros = []rune{'٠', '۰', '०', '০', '０'}

// digit maps the characters of a number: other digits become ours, and what stands between them goes. Marks of the
// direction of writing come with numbers that were copied from a phone.
func digit(r rune) rune {
	if unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Cf) || strings.ContainsRune("./()−", r) {
		return -1
	}
	for _, zero := range zeros {
		if zero <= r && r <= zero+9 {
			return '0' + r - zero
		}
	}
	return r
}

// ReadNumber reads a number as people write it: with blanks and signs, with 00 for +, or without the code of
// their own country. It returns the international form.
func ReadNumber(s, country string) (string, error) {
	s = Unguarded(strings.TrimSpace(s))
	if found := asFormula.FindStringSubmatch(s); found != nil {
		s = strings.TrimSpace(found[1])
	}
	if s == "" {
		return "", Invalid("phone_number", "The number is missing.")
	}
	if shortened.MatchString(s) {
		return "", Invalid("phone_number", "A spreadsheet has shortened this number to %s. Format the column as text and export it again.", s)
	}
	if asDecimal.MatchString(s) {
		s = s[:strings.IndexAny(s, ".,")]
	}
	s = asAddress.ReplaceAllString(s, "")
	plain := strings.TrimLeftFunc(s, func(r rune) bool { return digit(r) < 0 })
	if strings.HasPrefix(plain, "+") || strings.HasPrefix(plain, "00") {
		s = strings.Replace(s, "(0)", "", 1)
	}
	s = strings.Map(digit, s)
	switch {
	case strings.HasPrefix(s, "+"):
	case strings.HasPrefix(s, "00"):
		s = s[2:]
	case countryCodes[country] != "":
		s = fromNational(s, country)
	}
	return CleanPhoneNumber("phone_number", s)
}

// fromNational puts the country's code before a number that lacks it.
func fromNational(s, country string) string {
	code := countryCodes[country]
	if code == "1" { // numbers there have ten digits
		if len(s) == 10 {
			return code + s
		}
		return s
	}
	trunk, other := trunks[country]
	if !other {
		trunk = "0"
	}
	if trunk != "" && strings.HasPrefix(s, trunk) {
		return code + s[len(trunk):]
	}
	if strings.HasPrefix(s, code) && len(s) >= len(code)+8 {
		return s
	}
	return code + s
}

var consentWords = map[Consent][]string{
	ConsentOptedIn:  {"opted_in", "opted in", "opt-in", "optin", "in", "yes", "y", "true", "1", "ya", "subscribed", "ja", "oui", "si", "sí"},
	ConsentOptedOut: {"opted_out", "opted out", "opt-out", "optout", "out", "no", "n", "false", "0", "tidak", "unsubscribed", "stop", "nein", "non"},
	ConsentUnknown:  {"unknown", "tidak diketahui", "?", "-"},
}

// readConsent reads the words that people write for yes and no. An empty text says nothing about consent.
func readConsent(s string) (Consent, error) {
	word := FoldCase(strings.TrimSpace(s))
	if word == "" {
		return "", nil
	}
	for consent, words := range consentWords {
		if slices.Contains(words, word) {
			return consent, nil
		}
	}
	return "", Invalid("consent", "The consent %q is none of yes, no and unknown.", s)
}
