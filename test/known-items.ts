/** A text and the queries that a person who remembers it might type. */
export interface KnownItem {
  text: string
  asked: readonly string[]
}

/** Invented notes on the same few subjects in ten languages, so that a search must distinguish similar notes. */
export const KNOWN_ITEMS: Record<string, readonly KnownItem[]> = {
  de: [
    {
      text: 'Die Bibliotheken der Stadt bleiben am Montag geschlossen, Bücher kann man trotzdem zurückgeben.',
      asked: ['bibliothek geschlossen', 'bucher zuruckgeben', 'Bibliothek am Montag'],
    },
    {
      text: 'Zahnarzttermin bei Frau Dr. Müller auf Donnerstag verschoben, Praxis in der Schloßstraße 4.',
      asked: ['Zahnarzttermine verschoben', 'Dr. Mueller', 'Schlossstrasse', 'zahnarzttermin muller'],
    },
    {
      text: 'Rechnung der Fahrradwerkstatt: neue Kette und zwei Bremsen, 84 Euro bezahlt.',
      asked: ['Fahrradwerkstätten Rechnung', 'fahrad werkstatt rechnung bremsen', 'Bremse und Kette'],
    },
    {
      text: 'Omas Pflaumenkuchen: ein Kilo Pflaumen, Hefeteig, Zimt, vierzig Minuten backen.',
      asked: ['Pflaume Kuchen Rezept', 'pflaumenkuchen backen', 'Hefeteige mit Zimt'],
    },
    {
      text: 'Fahrkarten nach Köln gekauft, Abfahrt 7 Uhr 40, Wagen elf, Sitzplätze am Fenster.',
      asked: ['Fahrkarte Köln', 'Fahrkarten nach Koeln', 'koln sitzplatz fenster'],
    },
    {
      text: 'Der Vermieter schreibt, dass die Heizungen im November geprüft werden.',
      asked: ['Heizung prüfen', 'vermieters brief heizung', 'heizungen gepruft'],
    },
  ],
  tr: [
    {
      text: 'Şehirdeki kütüphaneler pazartesi günü kapalı, kitaplarımızı yine de geri verebiliriz.',
      asked: ['kütüphane pazartesi', 'kutuphaneler kapali', 'kitaplar geri vermek'],
    },
    {
      text: 'Diş hekimi randevusu perşembeye ertelendi, muayenehane Çınar sokağında.',
      asked: ['dişçi randevu ertelendi', 'cinar sokak', 'randevular perşembe', 'cinar'],
    },
    {
      text: 'Bisikletçinin faturası: yeni zincir ve iki fren, dört yüz lira ödendi.',
      asked: ['bisikletçi fatura', 'faturasi zincir fren', 'bisiklet frenleri'],
    },
    {
      text: 'Büyükannemin erikli keki: bir kilo erik, maya, tarçın, kırk dakika pişirilir.',
      asked: ['büyükanne erik kek', 'buyukannemin erikli keki', 'kırk dakika pişirmek'],
    },
    {
      text: 'Ankara treni için biletleri aldım, yedi kırkta kalkıyor, pencere kenarında oturacağız.',
      asked: ['Ankara tren bileti', 'biletler pencere', 'ankaraya tren'],
    },
    {
      text: 'Ev sahibi kaloriferlerin kasım ayında kontrol edileceğini yazdı.',
      asked: ['kalorifer kontrolü', 'ev sahibinin kaloriferleri', 'kasim kalorifer'],
    },
  ],
  el: [
    {
      text: 'Οι βιβλιοθήκες της πόλης θα είναι κλειστές τη Δευτέρα, τα βιβλία επιστρέφονται κανονικά.',
      asked: ['βιβλιοθήκη κλειστή', 'βιβλιοθηκες δευτερα', 'επιστροφή βιβλίων'],
    },
    {
      text: 'Το ραντεβού με τον οδοντίατρο Παπαδόπουλο μεταφέρθηκε για την Πέμπτη.',
      asked: ['οδοντίατρος Παπαδόπουλος', 'ραντεβου πεμπτη', 'οδοντιατρου μεταφορά'],
    },
    {
      text: 'Λογαριασμός του ποδηλατά: καινούργια αλυσίδα και δύο φρένα, εξήντα ευρώ.',
      asked: ['λογαριασμοί αλυσίδες', 'ποδηλατα αλυσιδα φρενα', 'φρένο ποδήλατο'],
    },
    {
      text: 'Το κέικ της γιαγιάς με δαμάσκηνα: ένα κιλό δαμάσκηνα, μαγιά, κανέλα, σαράντα λεπτά.',
      asked: ['δαμάσκηνο κέικ', 'κεικ δαμασκηνα γιαγια', 'γιαγιάς κανέλας'],
    },
    {
      text: 'Αγόρασα εισιτήρια για το τρένο προς Θεσσαλονίκη, θέσεις στο παράθυρο.',
      asked: ['εισιτήριο Θεσσαλονίκης', 'τρενο θεσσαλονικη', 'θέση παράθυρα'],
    },
    {
      text: 'Ο ιδιοκτήτης γράφει ότι τα καλοριφέρ θα ελεγχθούν τον Νοέμβριο.',
      asked: ['ιδιοκτήτη καλοριφέρ', 'καλοριφερ νοεμβριου', 'ιδιοκτητης ελεγχθουν'],
    },
  ],
  ro: [
    {
      text: 'Bibliotecile orașului sunt închise luni, cărțile se pot returna oricum.',
      asked: ['biblioteca închisă', 'bibliotecile inchise luni', 'returnare cărți'],
    },
    {
      text: 'Programarea la dentistul Ștefănescu s-a mutat joi, cabinetul e pe strada Țărmului.',
      asked: ['dentist Stefanescu', 'programari dentist', 'strada tarmului'],
    },
    {
      text: 'Factura de la atelierul de biciclete: lanț nou și două frâne, trei sute de lei.',
      asked: ['facturi bicicletă', 'lant frane', 'frână bicicletei'],
    },
    {
      text: 'Prăjitura bunicii cu prune: un kilogram de prune, drojdie, scorțișoară, patruzeci de minute.',
      asked: ['prăjituri bunica prune', 'prajitura bunicii', 'scortisoara'],
    },
    {
      text: 'Am cumpărat biletele de tren spre Timișoara, plecarea la șapte, locuri la fereastră.',
      asked: ['bilet tren Timișoara', 'timisoara bilete', 'locul la ferestre'],
    },
    {
      text: 'Proprietarul scrie că radiatoarele vor fi verificate în noiembrie.',
      asked: ['proprietar radiatoare', 'radiatorul verificat', 'proprietarului radiatoarele'],
    },
  ],
  ru: [
    {
      text: 'Городские библиотеки в понедельник закрыты, книги всё равно можно вернуть.',
      asked: ['библиотека закрыта', 'вернуть книгу', 'все равно библиотеки'],
    },
    {
      text: 'Приём у стоматолога Фёдорова перенесли на четверг, кабинет на Берёзовой улице.',
      asked: ['стоматолог Федоров', 'прием перенесен четверг', 'березовая улица'],
    },
    {
      text: 'Счёт из велосипедной мастерской: новая цепь и два тормоза, три тысячи рублей.',
      asked: ['велосипедная мастерская', 'счет тормоз цепь', 'велосипедные мастерские счета'],
    },
    {
      text: 'Бабушкин пирог со сливами: килограмм слив, дрожжи, корица, сорок минут.',
      asked: ['бабушкины пироги', 'пирог слива корица', 'пирога со сливой'],
    },
    {
      text: 'Купила билеты на поезд до Нижнего Новгорода, места у окна.',
      asked: ['билет поезд Новгород', 'нижний новгород поездом', 'место у окон'],
    },
    {
      text: 'Хозяйка квартиры пишет, что батареи проверят в ноябре.',
      asked: ['батарея проверить', 'хозяйкой квартира батареи', 'ноябрь батареи'],
    },
  ],
  ar: [
    {
      text: 'المكتبات في المدينة مغلقة يوم الاثنين ويمكن إعادة الكتب.',
      asked: ['مكتبة مغلقة', 'المكتبات الإثنين', 'اعادة الكتب'],
    },
    {
      text: 'تأجل موعد طبيب الأسنان أحمد إلى الخميس، والعيادة في شارع الزهور.',
      asked: ['موعد طبيب الاسنان', 'احمد الأسنان', 'عيادة شارع الزهور'],
    },
    {
      text: 'فاتورة ورشة الدراجات: سلسلة جديدة وفرامل، دفعت ستين دينارا.',
      asked: ['فاتورة الدراجة', 'ورشه الدراجات', 'سلسلة وفرامل'],
    },
    {
      text: 'كعكة الجدة بالخوخ: كيلو خوخ وخميرة وقرفة وأربعون دقيقة في الفرن.',
      asked: ['كعكه الجده', 'كعكة خوخ', 'خميرة قرفة الفرن'],
    },
    {
      text: 'اشتريت تذاكر القطار إلى الإسكندرية والمقاعد بجانب النافذة.',
      asked: ['تذاكر القطار', 'قطار الاسكندرية', 'مقاعد النافذة'],
    },
    {
      text: 'كتب صاحب البيت أن التدفئة سوف تفحص في نوفمبر.',
      asked: ['صاحب البيت التدفئة', 'تدفئة نوفمبر', 'فحص التدفئه'],
    },
  ],
  hi: [
    {
      text: 'शहर के पुस्तकालय सोमवार को बंद रहेंगे, किताबें फिर भी लौटाई जा सकती हैं।',
      asked: ['पुस्तकालय सोमवार', 'किताबों लौटाना पुस्तकालयों', 'किताबें लौटाई'],
    },
    {
      text: 'दंत चिकित्सक मिश्रा से मिलने का समय गुरुवार कर दिया गया।',
      asked: ['दंत चिकित्सक', 'चिकित्सकों मिश्रा', 'मिश्रा गुरुवार'],
    },
    {
      text: 'साइकिल की दुकान का बिल: नई ज़ंजीर और दो ब्रेक, आठ सौ रुपये।',
      asked: ['साइकिल बिल', 'जंजीर ब्रेक', 'साइकिलों की दुकान'],
    },
    {
      text: 'दादी का आलूबुखारे वाला केक: एक किलो आलूबुखारा, ख़मीर, दालचीनी, चालीस मिनट।',
      asked: ['आलूबुखारा केक', 'दादी दालचीनी', 'खमीर दालचीनी'],
    },
    {
      text: 'वाराणसी की रेलगाड़ी के टिकट खरीदे, खिड़की के पास की सीटें मिलीं।',
      asked: ['वाराणसी टिकट', 'रेलगाड़ियों के टिकट', 'खिड़की सीट'],
    },
    {
      text: 'मकान मालिक ने लिखा है कि हीटर नवंबर में जाँचे जाएँगे।',
      asked: ['मकान मालिक हीटर', 'हीटर नवम्बर', 'हीटरों मकान'],
    },
  ],
  vi: [
    {
      text: 'Các thư viện trong thành phố đóng cửa ngày thứ hai, sách vẫn trả được.',
      asked: ['thư viện đóng cửa', 'thu vien dong cua', 'trả sách thư viện'],
    },
    {
      text: 'Lịch hẹn nha sĩ Đặng chuyển sang thứ năm, phòng khám ở đường Hoa Hồng.',
      asked: ['nha sĩ Đặng', 'lich hen nha si dang', 'duong hoa hong'],
    },
    {
      text: 'Hóa đơn sửa xe đạp: xích mới và hai cái phanh, ba trăm nghìn đồng.',
      asked: ['hóa đơn xe đạp', 'hoá đơn phanh', 'sua xe dap xich'],
    },
    {
      text: 'Bánh mận của bà: một cân mận, men, quế, nướng bốn mươi phút.',
      asked: ['bánh mận', 'banh man cua ba', 'mận quế nướng'],
    },
    {
      text: 'Đã mua vé tàu đi Đà Nẵng, ghế ngồi cạnh cửa sổ.',
      asked: ['vé tàu Đà Nẵng', 've tau da nang', 'ghế cửa sổ'],
    },
    {
      text: 'Chủ nhà viết rằng lò sưởi sẽ được kiểm tra vào tháng mười một.',
      asked: ['chủ nhà lò sưởi', 'lo suoi kiem tra', 'kiểm tra lò sưởi'],
    },
  ],
  th: [
    {
      text: 'ห้องสมุดในเมืองปิดวันจันทร์ แต่ยังคืนหนังสือได้',
      asked: ['ห้องสมุด', 'คืนหนังสือ', 'ห้องสมุดปิดวันจันทร์'],
    },
    {
      text: 'นัดหมอฟันเลื่อนเป็นวันพฤหัส คลินิกอยู่ถนนดอกไม้',
      asked: ['หมอฟัน', 'เลื่อนนัดหมอ', 'คลินิก ถนนดอกไม้'],
    },
    {
      text: 'ใบเสร็จร้านซ่อมจักรยาน โซ่ใหม่กับเบรกสองอัน แปดร้อยบาท',
      asked: ['ซ่อมจักรยาน', 'ใบเสร็จ จักรยาน', 'โซ่ เบรก'],
    },
    {
      text: 'เค้กลูกพลัมของคุณยาย ลูกพลัมหนึ่งกิโล ยีสต์ อบเชย อบสี่สิบนาที',
      asked: ['เค้กลูกพลัม', 'คุณยาย อบเชย', 'ยีสต์ อบเชย'],
    },
    {
      text: 'ซื้อตั๋วรถไฟไปเชียงใหม่แล้ว ที่นั่งริมหน้าต่าง',
      asked: ['ตั๋วรถไฟ', 'รถไฟเชียงใหม่', 'ที่นั่ง หน้าต่าง'],
    },
    {
      text: 'เจ้าของบ้านเขียนว่าจะตรวจเครื่องทำความร้อนเดือนพฤศจิกายน',
      asked: ['เจ้าของบ้าน', 'เครื่องทำความร้อน', 'ตรวจ เดือนพฤศจิกายน'],
    },
  ],
  ja: [
    {
      text: '市の図書館は月曜日に閉まりますが、本は返却できます。',
      asked: ['図書館 月曜日', '図書館が閉まる', '本の返却'],
    },
    {
      text: '歯医者の斎藤先生の予約が木曜日に変更になりました。',
      asked: ['歯医者の予約', '斎藤先生', '予約変更 木曜'],
    },
    {
      text: '自転車屋の請求書：新しいチェーンとブレーキ二つ、六千円。',
      asked: ['自転車の請求書', 'ﾁｪｰﾝ ﾌﾞﾚｰｷ', 'チェーン 自転車屋'],
    },
    {
      text: 'おばあちゃんのプラムケーキ。プラム一キロ、イースト、シナモン、四十分焼く。',
      asked: ['プラムケーキ', 'おばあちゃんのケーキ', 'シナモン イースト'],
    },
    {
      text: '京都行きの電車の切符を買った。窓側の席。',
      asked: ['京都 切符', '電車の切符', '窓側の座席'],
    },
    {
      text: '大家さんから、暖房を十一月に点検すると手紙が来た。',
      asked: ['大家さん 暖房', '暖房の点検', '大家 手紙'],
    },
  ],
}
