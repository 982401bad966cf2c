#!/usr/bin/env python3
"""Tests of words-check and of the extraction of text: python3 .ci/words_check_test.py"""
import importlib.machinery
import importlib.util
import os
import sys
import unittest

folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, folder)

import user_text  # noqa: E402

loader = importlib.machinery.SourceFileLoader("words_check", os.path.join(folder, "words-check"))
words_check = importlib.util.module_from_spec(importlib.util.spec_from_loader("words_check", loader))
loader.exec_module(words_check)


def texts(blocks):
    return [block.text for block in blocks]


class Extraction(unittest.TestCase):
    def test_sentences_end_at_full_stops_but_not_in_numbers_or_after_abbreviations(self):
        self.assertEqual(list(user_text.sentences("It closed. See 3rd ed. Then 1.5 m.")), ["It closed.", "See 3rd ed. Then 1.5 m."])

    def test_code_in_markdown_is_one_word_and_fences_are_skipped(self):
        self.assertEqual(texts(user_text.markdown("# Head\nUse `a b c` now.\n\n    code\n\n```\ntold\n```\n| a | b c |\n- one\n- two")),
                         ["Head", "Use X now.", "a", "b c", "one", "two"])

    def test_entries_of_a_comment_list_are_separate_and_settings_are_skipped(self):
        text = "# The cause.\n#   none   there is none\n#   lost   it is\n#          lost\ntype X\n# key = 1\n"
        self.assertEqual(texts(user_text.comments(text)), ["The cause.", "there is none", "it is lost"])

    def test_a_man_page_keeps_sentences_around_names(self):
        text = ".Sh NAME\n.Nm sextant\nshows the\n.Fl -json\noption.\n.Pp\nSecond.\n.Bd -literal\ntold\n.Ed\n"
        self.assertEqual(texts(user_text.man_page(text)), ["X shows the X option.", "Second."])

    def test_swift_strings_and_doc_comments_are_found_and_code_is_not(self):
        text = '/// A doc\n/// comment.\nlet told = "two words \\(f("in side")) end" // told\nlet one = "word"\n'
        self.assertEqual(sorted((block.text, block.is_user_visible) for block in user_text.swift(text)),
                         [("A doc comment.", False), ("in side", True), ("two words X end", True)])


class Words(unittest.TestCase):
    def banned(self, sentence, path="README.md"):
        return [word for word, _ in words_check.banned_words(sentence, path)]

    def test_banned_words_are_found_as_whole_words_in_any_case(self):
        self.assertEqual(set(self.banned("Whoever is told of the rooms")), {"Whoever", "told", "rooms"})
        self.assertEqual(self.banned("A mushroom, a gateway and an overlook: recommended"), [])

    def test_standard_terms_are_allowed(self):
        self.assertEqual(self.banned("Dead reckoning works the same way; look up the value by way of a table"), [])

    def test_names_of_tests_are_read(self):
        text = "@Test func `a name is told`() {}\nfunc hear(saying words: String) {}\n"
        self.assertEqual([words for _, words in words_check.names_and_marks("Tests/ATests/A.swift", text)],
                         ["a name is told", "hear", "saying", "words"])

    def test_an_exception_holds_for_its_file_alone(self):
        start, _, _ = next(entry for entry in words_check.EXCEPTIONS if "LengthText" in entry[0])
        self.assertEqual(self.banned("a house", start), [])
        self.assertEqual(self.banned("a house"), ["house"])

    def test_long_sentences_are_refused_in_user_visible_text_alone(self):
        long = "word " * 31
        self.assertEqual(len(list(words_check.problems("README.md", long))), 1)
        self.assertEqual(list(words_check.problems("Sources/A.swift", f"/// {long}\n")), [])


if __name__ == "__main__":
    unittest.main()
