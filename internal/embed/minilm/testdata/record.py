"""Records what Python says, for the tests of wordpiece and minilm.

    pip install numpy onnxruntime tokenizers
    python3 record.py DIR     # DIR: what `make embedder` fetched

Writes vectors.json beside itself, and recorded.json and vocabulary.json of
wordpiece: its tokens of the same texts, and the part of the vocabulary that
they need, so that the tokens can be tested where no model is.
"""

import json
import pathlib
import sys

import numpy as np
import onnxruntime
import tokenizers

TEXTS = [
    "Where does a job wait while its group is full?",
    "void Plan::ScheduleWork(map<Edge*, Want>::iterator want_e) { return; }",
    "func (c *Conn) Prepare(ctx context.Context, name, sql string) (sd *pgconn.StatementDescription, err error) {",
    "", " \t\r\n ",
    "naïve café's l'été Ünïcödé ÀÉÎ",
    "日本語のテキスト and 中文字",
    "emoji 👍 and zero\u200bwidth \ufeffmark, a control\x01\x7f too",
    "a" * 100, "a" * 101,
    "[CLS] x [SEP]y[MASK] [UNK] [PAD] [cls]",
    "foo_bar->baz::qux(\"str\", 'c', 0x1F, 3.14e-10);\n\t#include <vector>",
    "\u0130stanbul \u00df \u1e9e Σίσυφος ΣΑΣ ﬁ ½ ² ™ Ⅷ",
    "नमस्ते العربية עברית ไทย 한국어",
    "x\u0301\u0327 e\u0301 \u2028line\u00a0nbsp\u3000ideo soft\u00adhyphen",
    "$%^&*()`~+=|\\<>…—–‘’“”«»¡¿０１２ＡＢＣ \U00020000",
    " ".join("word%d" % i for i in range(300)),
]
DIMS = 384
LIMIT = 256


def embed(session, ids):
    ids = np.array([ids], np.int64)
    mask = np.ones_like(ids)
    hidden = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0][0]
    mean = hidden.astype(np.float64).mean(axis=0)
    return mean / np.linalg.norm(mean)


def write(path, value):
    path.write_text(json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace('],[', '],\n[') + "\n")


def main(models):
    here = pathlib.Path(__file__).parent
    pieces = here.parent.parent / "wordpiece" / "testdata"
    full = json.loads((models / "tokenizer.json").read_text())
    tokenizer = tokenizers.Tokenizer.from_file(str(models / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LIMIT)
    ids = [tokenizer.encode(text).ids for text in TEXTS]
    made = "testdata/record.py of minilm, tokenizers %s, onnxruntime %s" % (tokenizers.__version__, onnxruntime.__version__)

    vocabulary = {id: piece for piece, id in full["model"]["vocab"].items()}
    used = {id for text in ids for id in text} | {0, 100, 101, 102, 103}
    full["model"]["vocab"] = {vocabulary[id]: id for id in sorted(used)}
    full["truncation"] = full["padding"] = None
    small = tokenizers.Tokenizer.from_str(json.dumps(full))
    small.enable_truncation(LIMIT)
    assert [small.encode(text).ids for text in TEXTS] == ids
    write(pieces / "vocabulary.json", full)
    write(pieces / "recorded.json", {"made": made, "limit": LIMIT, "texts": TEXTS, "ids": ids})

    session = onnxruntime.InferenceSession(str(models / "model.onnx"), providers=["CPUExecutionProvider"])
    chosen = [i for i, text in enumerate(TEXTS) if i not in (8, 9, 13)]
    vectors = [[round(float(x), 6) for x in embed(session, ids[i])] for i in chosen]
    assert all(len(v) == DIMS for v in vectors)
    write(here / "vectors.json", {"made": made, "texts": [TEXTS[i] for i in chosen], "vectors": vectors})


main(pathlib.Path(sys.argv[1]))
