// SPDX-License-Identifier: Apache-2.0
#include <millrace/millrace.hpp>

#include <iostream>

int main() { std::cout << "it works\n"; }
