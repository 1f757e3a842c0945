/** Common family names of a language, and its forms of household names. `*` stands for the family name. */
type Naming = { forms: [string, string]; families: string[] }

const namings: Naming[] = [
  {
    forms: ['The * Household', '* Family Trust'],
    families: words(
      'Ashworth Bennett Calloway Devereux Ellison Fairfax Granger Hollis Ingram Jessop Kendrick Lowell',
    ),
  },
  {
    forms: ['Familie *', '*-Stiftung'],
    families: words('Großmann Strauß Weiß Müller Schäfer Köhler Jäger Vößing Groß Böhm Krüger Preuß'),
  },
  {
    forms: ['Famille *', 'Succession *'],
    families: words(
      'Lefèvre Béranger Gaëtan François Hélias Noël Crépin Barthélemy Chênevert Garçon Fréchette Étienne',
    ),
  },
  {
    forms: ['Familia *', 'Patrimonio *'],
    families: words(
      'Núñez Peña Ibáñez Muñoz Cárdenas Güell Íñiguez Domínguez Zúñiga Ordóñez Avellán Échevarri',
    ),
  },
  {
    forms: ['Familjen *', 'Boet efter *'],
    families: words(
      'Åström Öberg Sjöström Lindqvist Ångström Bergström Hägg Källström Nyström Östlund Wikström Älvsjö',
    ),
  },
  {
    forms: ['Rodzina *', 'Majątek *'],
    families: words(
      'Wójcik Dąbrowska Łukaszewicz Źdźbłowska Świątek Żurawska Błaszczyk Gołąb Jabłońska Kaźmierczak Śliwa Ćwik',
    ),
  },
  {
    forms: ['* Ailesi', '* Vakfı'],
    families: words('Işık İnanç Yıldırım Çağlar Şahin Güneş Öztürk Kılıç İlhan Aydın Iğdır Ünal'),
  },
  {
    forms: ['Gia đình *', 'Quỹ *'],
    families: words('Nguyễn Trần Phạm Huỳnh Vũ Đặng Bùi Đỗ Hồ Dương Lý Ngô'),
  },
  {
    forms: ['Οικογένεια *', 'Κληρονόμοι *'],
    families: words(
      'Παπαδόπουλος Γεωργίου Βασιλείου Οικονόμου Αλεξίου Νικολαΐδης Χριστοδούλου Ιωάννου Σταύρου Αθανασίου Καραγιάννης Ζαΐμης',
    ),
  },
  {
    forms: ['Семья *', 'Фонд *'],
    families: words(
      'Соколовых Лебедевых Королёвых Щербаковых Жуковых Юрьевых Воробьёвых Чайковских Ильиных Ждановых Мельниченко Шевчуков',
    ),
  },
  {
    forms: ['ოჯახი *', '* მემკვიდრეობა'],
    families: words(
      'ბერიძე კაპანაძე გელაშვილი მაისურაძე ლომიძე წიკლაური ნოზაძე ქავთარაძე ჩხეიძე ჯაფარიძე ხარაძე ღვინიაშვილი',
    ),
  },
  {
    forms: ['عائلة *', 'أملاك *'],
    families: words('الحدّاد النجّار الخوري منصور الشامي القاسم حمدان العطّار صالح الرفاعي زيدان الكاتب'),
  },
  {
    forms: ['משפחת *', 'עיזבון *'],
    families: words('כהן לוי מזרחי פרץ ביטון דהן אברהם פרידמן שפירא אזולאי גולן ברק'),
  },
  {
    forms: ['*家族', '*氏信托'],
    families: words('王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙'),
  },
  {
    forms: ['*家', '*家の資産'],
    families: words('佐藤 鈴木 高橋 渡邊 伊藤 山本 中村 小林 加藤 吉田 山﨑 ササキ'),
  },
  {
    forms: ['* 가족', '*씨 일가'],
    families: words('김 이 박 최 정 강 조 윤 장 임 한 오'),
  },
  {
    forms: ['* परिवार', '* न्यास'],
    families: words('शर्मा वर्मा गुप्ता मिश्रा त्रिपाठी श्रीवास्तव चतुर्वेदी जोशी ठाकुर अग्रवाल द्विवेदी कुलकर्णी'),
  },
  {
    forms: ['ครอบครัว*', 'กองทุน*'],
    families: words('สุขใจ ศรีสุข ทองดี แก้วมณี บุญมา รุ่งเรือง วงศ์ไทย พงษ์พันธ์ ชัยชนะ สายทอง ใจดี น้ำเงิน'),
  },
]

/** Names that reveal errors in escaping, in searching and in case folding. */
const difficultNames = [
  '100% Pension Trust',
  '50%_50 Partnership',
  'Long_Meadow Estate',
  'C:\\Holdings\\Family',
  "O'Shaughnessy & Daughters",
  'Baker, Butcher and Chandler',
  'The "Lucky Seven" Syndicate',
  '<b>Bold</b> & Sons',
  'STRASSENBAU WEISS',
  'straßenbau weiß',
  'ΟΔΥΣΣΕΥΣ ΣΤΑΥΡΟΣ',
  'Οδυσσεύς Σταύρος',
  'Ze\u0301phyrine de\u0301compose\u0301e', // with combining accents
  'Zéphyrine composée',
  'ﬁne Fabrics Family', // with a ligature
  'Null',
]

/** About 400 names in a fixed order. Neighbours are from different languages. Every 29th household has no name (''). */
export function householdNames(): string[] {
  const names = [...difficultNames]
  for (const form of [0, 1] as const) {
    for (let family = 0; family < 12; family++) {
      for (const { forms, families } of namings) names.push(forms[form].replace('*', families[family] ?? ''))
    }
  }
  return names.map((name, index) => (index % 29 === 28 ? '' : name))
}

function words(text: string): string[] {
  return text.split(' ')
}
