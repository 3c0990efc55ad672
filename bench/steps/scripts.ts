const BYTES = 150_000;

const SAMPLES: Readonly<Record<string, string>> = {
  English: "the quick brown fox jumps ",
  French: "déjà vu à l’école élémentaire ",
  German: "Die Kündigungsfrist für größere Räume beträgt zwölf Wochen. ",
  Vietnamese: "Tiếng Việt là ngôn ngữ của người Việt ",
  "Vietnamese, decomposed": "Tiếng Việt là ngôn ngữ của người Việt ".normalize("NFD"),
  Russian: "Съешь же ещё этих мягких французских булок да выпей чаю ",
  Greek: "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία ",
  Hindi: "मैं नहीं जानता कि उन्हें क्यों यहाँ बुलाया गया है और हमें इसमें क्या करना चाहिए ",
  Bengali: "বাংলা ভাষা একটি ইন্দো আর্য ভাষা ",
  Tamil: "தமிழ் மொழி ஒரு செம்மொழி ",
  Tibetan: "བོད་ཀྱི་སྐད་ཡིག་",
  Arabic: "هذا نص عربي عادي للتجربة ",
  "Arabic with vowels": "بِسْمِ ٱللَّهِ ٱلرَّحْمَٰنِ ٱلرَّحِيمِ ",
  "Hebrew with points": "שָׁלוֹם עֲלֵיכֶם בְּרֵאשִׁית ",
  Korean: "한국어 문장 하나를 시험합니다 ",
  "Korean, decomposed": "한국어 문장 하나를 시험합니다 ".normalize("NFD"),
  Chinese: "中文文本测试搜索引擎的分词",
  Japanese: "これは日本語のテキストです。",
  "half-width kana": "ｶﾞｷﾞｸﾞ ",
  Thai: "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน",
  "Thai, short runs": "กขคง ",
  "Thai, marks": "ก\u0e48\u0e48\u0e48 ",
  Lao: "ພາສາລາວເປັນພາສາ",
  Khmer: "ភាសាខ្មែរគឺជាភាសា",
  Burmese: "မြန်မာဘာသာစကား",
  "keycap emoji": "1\ufe0f\u20e3",
  emoji: "😀😁 ",
  "joined emoji": "👨‍👩‍👧‍👦 ",
  "2 marks on a letter": "a\u0301\u0302 ",
  "5 marks": "a\u0301\u0302\u0303\u0304\u0305 ",
  "30 marks": `a${"\u0301\u0327".repeat(15)} `,
  "100 marks": `a${"\u0301\u0327".repeat(50)} `,
  "marks alone": "\u0301\u0327",
  "marks on Chinese": `中${"\u0301".repeat(29)}`,
  "mathematical letters": "𝐀𝐁𝐂 ",
};

/** Texts of the same size in many scripts, and with marks in every way. */
export const SCRIPTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SAMPLES).map(([name, sample]) => [
    name,
    sample.repeat(Math.ceil(BYTES / Buffer.byteLength(sample))).toWellFormed(),
  ]),
);
