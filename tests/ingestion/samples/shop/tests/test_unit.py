# ruff: noqa
import unittest

from shop import cart


class CartTest(unittest.TestCase):
    def test_equal(self):
        self.assertEqual([1, 2], [1, 3])

    def test_error(self):
        cart.price_of([], "x")

    def test_sub(self):
        for i in range(3):
            with self.subTest("msg here", i=i):
                self.assertEqual(i % 2, 0)
        cart.boom("after")

    def test_sub_only(self):
        for i in range(3):
            with self.subTest(i=i):
                cart.boom(str(i))


class BrokenSetUp(unittest.TestCase):
    def setUp(self):
        cart.boom("set up")

    def test_one(self):
        pass


class BrokenClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cart.boom("class")

    def test_one(self):
        pass

    def test_two(self):
        pass


class Unexpected(unittest.TestCase):
    @unittest.expectedFailure
    def test_passes(self):
        pass
