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

    def test_swift_strings_are_found_and_comments_and_code_are_not(self):
        text = '/// A "doc comment".\nlet told = "two words \\(f("in side")) end" // told\nlet one = "word"\n'
        self.assertEqual(sorted(texts(user_text.swift(text))), ["in side", "two words X end"])


class Sentences(unittest.TestCase):
    def test_long_sentences_are_refused_in_user_visible_text_alone(self):
        long = "word " * 31
        self.assertEqual(len(list(words_check.problems("README.md", long))), 1)
        self.assertEqual(list(words_check.problems("Sources/A.swift", f"/// {long}\n")), [])


if __name__ == "__main__":
    unittest.main()
