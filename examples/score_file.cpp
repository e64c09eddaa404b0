// Scores a file from C++17: unique_ptr frees the objects, and a failed call throws.
//
//     c++ -std=c++17 score_file.cpp $(pkg-config --cflags --libs puad) -o score_file && ./score_file MODEL FILE
#include <cstdio>
#include <memory>
#include <puad/puad.h>
#include <stdexcept>
#include <vector>

template <auto release> struct Free {
    template <class T> void operator()(T *object) const { release(object); }
};
using Detector = std::unique_ptr<puad_detector, Free<puad_detector_free>>;
using Dataset = std::unique_ptr<puad_dataset, Free<puad_dataset_free>>;

// make<Detector>(puad_detector_load, "model.safetensors")
template <class Owner, class Call, class... Arguments> Owner make(Call call, Arguments... arguments)
{
    typename Owner::pointer made = nullptr;
    if (call(&made, arguments...) != PUAD_OK) throw std::runtime_error(puad_last_error());
    return Owner(made);
}

int main(int count, char **arguments)
try {
    if (count != 3) throw std::runtime_error("usage: score_file MODEL FILE");
    auto model = make<Detector>(puad_detector_load, arguments[1]);
    auto rows = make<Dataset>(puad_dataset_open, arguments[2], model.get(), nullptr);
    std::vector<float> scores(puad_dataset_rows(rows.get()));
    if (puad_detector_score(model.get(), scores.data(), scores.size(), rows.get()) != PUAD_OK)
        throw std::runtime_error(puad_last_error());
    for (float score : scores) std::printf("%.9g\n", static_cast<double>(score));
} catch (const std::exception &error) {
    std::fprintf(stderr, "score_file: %s\n", error.what());
    return 1;
}
