"""Data of any units, brought to where a model was trained, and answers brought back."""

import numpy as np


class Units:
    """Shift and scale of x and y: (value - shift) / scale is what the model is given."""

    def __init__(self, x_shift, x_scale, y_shift, y_scale):
        self.x_shift, self.x_scale, self.y_shift, self.y_scale = x_shift, x_scale, y_shift, y_scale

    @classmethod
    def identity(cls):
        return cls(0.0, 1.0, 0.0, 1.0)

    @classmethod
    def fitting(cls, x, y, half_range=2.0):
        """So that the x of these data fill [-half_range, half_range], and their y have mean 0 and deviation 1.

        A column that does not vary is only shifted.
        """
        low, high = np.min(x, axis=0), np.max(x, axis=0)
        # Halves first: the sum of two large numbers may be none.
        x_scale = (high / 2 - low / 2) / half_range
        y_scale = np.std(y, axis=0)
        return cls(low / 2 + high / 2, np.where(x_scale > 0, x_scale, 1.0), np.mean(y, axis=0),
                   np.where(y_scale > 0, y_scale, 1.0))

    def x(self, x):
        return (x - self.x_shift) / self.x_scale

    def y(self, y):
        return (y - self.y_shift) / self.y_scale

    def mean(self, mean):
        return mean * self.y_scale + self.y_shift

    def std(self, std):
        return std * self.y_scale
